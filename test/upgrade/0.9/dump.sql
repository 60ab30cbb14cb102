--
-- PostgreSQL database dump
--

\restrict nl475hKT9oc2gMRtXsuOQaUdKcLEyLTi2evJgtfolc5Iix3jjnX99hV7z9VK5X9

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: begin_session(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        insert into sessions (family_id, user_id, started_at) values (new.family_id, new.user_id, new.created_at)
        on conflict do nothing;
        return null;
      end $$;


--
-- Name: forget_session(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.forget_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        delete from sessions where family_id = old.family_id;
        return null;
      end $$;


--
-- Name: limit_devices(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.limit_devices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        delete from known_devices where id in (
          select id from known_devices where user_id = new.user_id order by last_used_at desc, id desc offset 20
        );
        return null;
      end $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    key_id text NOT NULL,
    service_name text NOT NULL,
    scopes text[] NOT NULL,
    rate_limit integer NOT NULL,
    sealed_secret text NOT NULL,
    previous_sealed_secret text,
    previous_ends_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_keys_rate_limit_range CHECK (((rate_limit >= 1) AND (rate_limit <= 1000000)))
);


--
-- Name: audit_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    event_type text NOT NULL,
    entity_type text DEFAULT 'user'::text NOT NULL,
    user_id uuid,
    ip_address text NOT NULL,
    user_agent text,
    metadata jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    written_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: cron_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cron_keys (
    key_id text NOT NULL,
    service_name text NOT NULL,
    scopes text[] NOT NULL,
    secret_sha256 text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone
);


--
-- Name: known_devices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.known_devices (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    secret_sha256 bytea NOT NULL,
    failed_login_attempts integer DEFAULT 0 NOT NULL,
    locked_until timestamp with time zone,
    user_agent text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    CONSTRAINT known_devices_failed_login_attempts_not_negative CHECK ((failed_login_attempts >= 0)),
    CONSTRAINT known_devices_user_agent_length CHECK ((char_length(user_agent) <= 512))
);


--
-- Name: mikro_orm_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.mikro_orm_migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    executed_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP(6) NOT NULL
);


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.mikro_orm_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.mikro_orm_migrations_id_seq OWNED BY public.mikro_orm_migrations.id;


--
-- Name: outbox_cursors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.outbox_cursors (
    id uuid NOT NULL,
    kind text NOT NULL,
    front_at timestamp with time zone NOT NULL,
    front_id uuid NOT NULL,
    settled_at timestamp with time zone NOT NULL,
    settled_id uuid NOT NULL,
    claimed_by uuid,
    claimed_until timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    retry_at timestamp with time zone,
    paused_at timestamp with time zone,
    paused_by text,
    last_attempt_at timestamp with time zone,
    last_outcome text,
    last_status integer,
    CONSTRAINT outbox_cursors_kind_known CHECK ((kind = ANY (ARRAY['webhook'::text, 'mail'::text]))),
    CONSTRAINT outbox_cursors_paused_by_known CHECK ((paused_by = ANY (ARRAY['operator'::text, 'receiver'::text])))
);


--
-- Name: outbox_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.outbox_events (
    cursor_id uuid NOT NULL,
    event_id uuid NOT NULL,
    written_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    attempts integer NOT NULL
);


--
-- Name: password_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.password_links (
    user_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    password_version integer NOT NULL,
    purpose text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sealed_token text,
    CONSTRAINT password_links_purpose_known CHECK ((purpose = ANY (ARRAY['invitation'::text, 'reset'::text])))
);


--
-- Name: rate_limits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rate_limits (
    key character varying(255) NOT NULL,
    points integer DEFAULT 0 NOT NULL,
    expire bigint
);


--
-- Name: refresh_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.refresh_tokens (
    jti uuid NOT NULL,
    user_id uuid NOT NULL,
    family_id uuid NOT NULL,
    revoked boolean DEFAULT false NOT NULL,
    revoked_reason text,
    revoked_at timestamp with time zone,
    user_agent text NOT NULL,
    ip_address text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    session_started_at timestamp with time zone DEFAULT now() NOT NULL,
    predecessor_jti uuid,
    retry_key_sha256 bytea,
    retry_ended boolean,
    retries integer,
    retried_at timestamp with time zone,
    retried_ip_address text,
    retried_user_agent text,
    device_id uuid,
    CONSTRAINT refresh_tokens_user_agent_length CHECK ((char_length(user_agent) <= 512))
)
WITH (fillfactor='85');


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    family_id uuid NOT NULL,
    user_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL
);


--
-- Name: signature_nonces; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signature_nonces (
    key_id text NOT NULL,
    nonce text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    password_hash text,
    password_version integer DEFAULT 0 NOT NULL,
    role text NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    failed_login_attempts integer DEFAULT 0 NOT NULL,
    locked_until timestamp with time zone,
    last_login_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    password_chosen_by_user boolean DEFAULT false NOT NULL,
    CONSTRAINT users_email_lower_case CHECK (((email = lower(email)) AND (char_length(email) <= 254))),
    CONSTRAINT users_failed_login_attempts_not_negative CHECK ((failed_login_attempts >= 0)),
    CONSTRAINT users_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'analyst'::text, 'admin'::text])))
);


--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    url text NOT NULL,
    event_types text[],
    include_emails boolean NOT NULL,
    sealed_secret text NOT NULL,
    previous_sealed_secret text,
    previous_ends_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT webhooks_url_length CHECK ((char_length(url) <= 2048))
);


--
-- Name: mikro_orm_migrations id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mikro_orm_migrations ALTER COLUMN id SET DEFAULT nextval('public.mikro_orm_migrations_id_seq'::regclass);


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('ak_1oKVGEcDrm7bCxTKWIbF', 'reader', '{users:read}', 1000, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiVmk5cVJWQ1oxN0pqM1p0M0p4c3R2OCIsImtleV9pZCI6ImFrXzFvS1ZHRWNEcm03YkN4VEtXSWJGIn0..82doA6g504GyDMZC.d8syYC18tG5xj3mmT8GQa0wNVBEHTKoBBXGaVBcsQ3yfAZkaJcDPX9zGqjVBFuWQCxJtzLk.38qhc6mj3Tv6jvJxJIkq6A', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiVmk5cVJWQ1oxN0pqM1p0M0p4c3R2OCIsImtleV9pZCI6ImFrXzFvS1ZHRWNEcm03YkN4VEtXSWJGIn0..YPwzfz2v6wfXpiON.RJyTZCm_BLB-dQOw3t9K5of-BVLcPex3mlVq1h1bx2qhjXrdv1d6CGHoKPMUoD-p4zU_Qfk.VNc6QGuUPl54S63AfULnTA', '2026-12-26 18:28:44.043+00', '2026-11-26 18:28:42.767+00', NULL, '2026-11-26 18:28:44.412+00');
INSERT INTO public.api_keys VALUES ('ak_zWbdgLogFAOCAfDWVlyt', 'former', '{users:read}', 60, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiVmk5cVJWQ1oxN0pqM1p0M0p4c3R2OCIsImtleV9pZCI6ImFrX3pXYmRnTG9nRkFPQ0FmRFdWbHl0In0..M9SqlSnV6P5uDwNZ.RkC_5L_LO7yOiG8-ic6_58usGwiANLvbMlBLl31a4UVyMaeOqTGT4QQNOit-ix5c7DB-ess.ppfoQgsM1Nb--fGWB2Louw', NULL, NULL, '2026-11-26 18:28:45.463+00', '2026-11-26 18:28:46.594+00', NULL);


--
-- Data for Name: audit_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_events VALUES ('01a2191d-b196-7153-9d3e-975b68b872fc', 'user_created', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', 'cli', '', '{"role": "admin", "actor": {"caller_type": "cli"}, "email": "admin@example.com"}', '2026-11-26 18:28:26.134+00', '2026-11-26 18:28:26.158102+00');
INSERT INTO public.audit_events VALUES ('01a2191d-b50c-7898-94e3-16f8a264a06e', 'user_created', 'user', '01a2191d-b50c-7357-89ac-1bb8f81682ca', 'cli', '', '{"role": "analyst", "actor": {"caller_type": "cli"}, "email": "analyst@example.com"}', '2026-11-26 18:28:27.02+00', '2026-11-26 18:28:27.046154+00');
INSERT INTO public.audit_events VALUES ('01a2191d-b8e4-7f4b-9492-2e21ba64c406', 'user_created', 'user', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "viewer@example.com"}', '2026-11-26 18:28:28.004+00', '2026-11-26 18:28:28.033092+00');
INSERT INTO public.audit_events VALUES ('01a2191d-bcab-74f8-9e56-2766a060dd50', 'user_created', 'user', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "locked@example.com"}', '2026-11-26 18:28:28.971+00', '2026-11-26 18:28:29.015538+00');
INSERT INTO public.audit_events VALUES ('01a2191d-c09f-73d1-bcfd-2e7f2623bd26', 'user_created', 'user', '01a2191d-c09f-75c9-a53a-d529eda15b37', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "inactive@example.com"}', '2026-11-26 18:28:29.983+00', '2026-11-26 18:28:30.013875+00');
INSERT INTO public.audit_events VALUES ('01a2191d-c427-7f7e-97c9-9e4fcb8412e7', 'user_created', 'user', '01a2191d-c427-7e71-84cf-c988e4420b4a', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "forgetful@example.com"}', '2026-11-26 18:28:30.887+00', '2026-11-26 18:28:30.913963+00');
INSERT INTO public.audit_events VALUES ('01a2191d-c8b1-77af-b477-19e97e56b8c0', 'user_created', 'user', '01a2191d-c8b1-7014-9ab1-bcf137fb0b52', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "waiting@example.com"}', '2026-11-26 18:28:32.049+00', '2026-11-26 18:28:32.103245+00');
INSERT INTO public.audit_events VALUES ('01a2191d-cdfd-7dfa-9d2c-94383db049bc', 'user_created', 'user', '01a2191d-cdfd-7ceb-b032-ef50e634be4c', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "stranded@example.com"}', '2026-11-26 18:28:33.405+00', '2026-11-26 18:28:33.464463+00');
INSERT INTO public.audit_events VALUES ('01a2191d-d230-7212-b9d6-b012bec9139d', 'user_created', 'user', '01a2191d-d230-79a1-a5b0-2abf704e8023', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "former@example.com"}', '2026-11-26 18:28:34.48+00', '2026-11-26 18:28:34.508482+00');
INSERT INTO public.audit_events VALUES ('01a2191d-d6aa-7fb0-83c7-2590caedd1e1', 'user_created', 'user', '01a2191d-d6aa-7bcb-9c6e-c23f46f9a5ea', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "deleted@example.com"}', '2026-11-26 18:28:35.626+00', '2026-11-26 18:28:35.657626+00');
INSERT INTO public.audit_events VALUES ('01a2191d-dc5f-7858-ac4d-e26d0abff1e8', 'login_success', 'user', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-26 18:28:37.087+00', '2026-11-26 18:28:37.089971+00');
INSERT INTO public.audit_events VALUES ('01a2191d-f28f-7db1-a73f-c9f8ad9e3fa3', 'api_key_created', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_1oKVGEcDrm7bCxTKWIbF", "scopes": ["users:read"], "rate_limit": 1000, "service_name": "reader"}', '2026-11-26 18:28:42.767+00', '2026-11-26 18:28:42.827427+00');
INSERT INTO public.audit_events VALUES ('01a2191d-f78b-7c74-b47a-63df561dc7e9', 'api_key_rotated', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_1oKVGEcDrm7bCxTKWIbF", "overlap_seconds": 2592000}', '2026-11-26 18:28:44.043+00', '2026-11-26 18:28:44.083336+00');
INSERT INTO public.audit_events VALUES ('01a2191d-fd17-7336-bf02-a84b9581885a', 'api_key_created', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_zWbdgLogFAOCAfDWVlyt", "scopes": ["users:read"], "rate_limit": 60, "service_name": "former"}', '2026-11-26 18:28:45.463+00', '2026-11-26 18:28:45.490842+00');
INSERT INTO public.audit_events VALUES ('01a2191e-0182-7825-9a37-18a0cdaa73a0', 'api_key_revoked', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_zWbdgLogFAOCAfDWVlyt", "service_name": "former"}', '2026-11-26 18:28:46.594+00', '2026-11-26 18:28:46.672292+00');
INSERT INTO public.audit_events VALUES ('01a2191e-06ea-73d9-b173-b850ed52c4cb', 'cron_key_created', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_EEYafPEUmvZxTx9uM4cz", "scopes": ["reports:write"], "service_name": "nightly"}', '2026-11-26 18:28:47.978+00', '2026-11-26 18:28:48.008224+00');
INSERT INTO public.audit_events VALUES ('01a2191e-0f37-77ef-8e0f-09e7da31b6cc', 'cron_key_created', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_ACcGzth5Vv1nf5IY59MS", "scopes": [], "service_name": "former"}', '2026-11-26 18:28:50.103+00', '2026-11-26 18:28:50.148725+00');
INSERT INTO public.audit_events VALUES ('01a2191e-146a-79f9-9e66-b705b0faa71e', 'cron_key_revoked', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_ACcGzth5Vv1nf5IY59MS", "service_name": "former"}', '2026-11-26 18:28:51.434+00', '2026-11-26 18:28:51.492573+00');
INSERT INTO public.audit_events VALUES ('01a2191e-1c4e-70ef-8a5b-13dac61a3484', 'webhook_created', 'webhook', NULL, 'cli', '', '{"host": "localhost:18181", "actor": {"caller_type": "cli"}, "webhook_id": "01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7", "event_types": null, "include_emails": true}', '2026-11-26 18:28:53.454+00', '2026-11-26 18:28:53.463616+00');
INSERT INTO public.audit_events VALUES ('01a2191e-235e-7540-90f3-15b8f9943a8b', 'webhook_created', 'webhook', NULL, 'cli', '', '{"host": "localhost:18181", "actor": {"caller_type": "cli"}, "webhook_id": "01a2191e-235e-71bf-be01-594201c9e97c", "event_types": ["login_success"], "include_emails": false}', '2026-11-26 18:28:55.262+00', '2026-11-26 18:28:55.291953+00');
INSERT INTO public.audit_events VALUES ('01a2191e-2cba-7533-a08a-2f1bcbe7f3ce', 'webhook_paused', 'webhook', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "webhook_id": "01a2191e-235e-71bf-be01-594201c9e97c"}', '2026-11-26 18:28:57.658+00', '2026-11-26 18:28:57.669788+00');
INSERT INTO public.audit_events VALUES ('01a2191e-32b6-7b76-a317-08ac2589ef2f', 'webhook_secret_rotated', 'webhook', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "webhook_id": "01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7", "overlap_seconds": 2592000}', '2026-11-26 18:28:59.19+00', '2026-11-26 18:28:59.212343+00');
INSERT INTO public.audit_events VALUES ('01a2191e-34b5-7426-9325-2dd4c6952f82', 'login_success', 'user', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '127.0.0.1', 'a browser of the fixture', '{"role": "viewer"}', '2026-11-26 18:28:59.701+00', '2026-11-26 18:28:59.705549+00');
INSERT INTO public.audit_events VALUES ('01a2191e-35ca-75c4-92e8-673823277a3f', 'login_success', 'user', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-26 18:28:59.978+00', '2026-11-26 18:28:59.980171+00');
INSERT INTO public.audit_events VALUES ('01a2191e-36b4-7914-92a5-4d3807ad6c27', 'login_success', 'user', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '127.0.0.1', 'node', '{"role": "analyst"}', '2026-11-26 18:29:00.212+00', '2026-11-26 18:29:00.214491+00');
INSERT INTO public.audit_events VALUES ('01a2191e-379d-7ed4-ad62-0caa670fb325', 'login_success', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-26 18:29:00.445+00', '2026-11-26 18:29:00.452931+00');
INSERT INTO public.audit_events VALUES ('01a2191e-37b5-7c38-a97e-85198fd0b994', 'logout', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '127.0.0.1', NULL, '{"jti": "01a2191e-379d-749a-9b11-15c8ab5caad9"}', '2026-11-26 18:29:00.469+00', '2026-11-26 18:29:00.471522+00');
INSERT INTO public.audit_events VALUES ('01a2191e-3906-7c91-85a8-98b746306981', 'login_success', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-26 18:29:00.806+00', '2026-11-26 18:29:00.813117+00');
INSERT INTO public.audit_events VALUES ('01a2191e-3939-7181-bcbd-46f8b14a732c', 'token_theft', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '127.0.0.1', 'node', '{"family_id": "01a2191e-3906-79ad-9e64-cf66cd8f660d", "reused_jti": "01a2191e-3906-7771-9703-9b03f608673e"}', '2026-11-26 18:29:00.857+00', '2026-11-26 18:29:00.861378+00');
INSERT INTO public.audit_events VALUES ('01a2191e-39f3-7927-8700-c2bb7f021caf', 'login_success', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-26 18:29:01.043+00', '2026-11-26 18:29:01.045165+00');
INSERT INTO public.audit_events VALUES ('01a2191e-3ea2-7638-b842-33b5e489b5f6', 'session_revoked', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', 'cli', '', '{"actor": {"caller_type": "cli"}, "family_id": "01a2191e-39f3-79b8-806f-384226ad829b"}', '2026-11-26 18:29:02.242+00', '2026-11-26 18:29:02.257746+00');
INSERT INTO public.audit_events VALUES ('01a2191e-3f66-7ffe-8e84-061034b4e8d1', 'login_success', 'user', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-26 18:29:02.438+00', '2026-11-26 18:29:02.440238+00');
INSERT INTO public.audit_events VALUES ('01a2191e-4040-78e5-9934-33ed4630dfbb', 'login_success', 'user', '01a2191d-c09f-75c9-a53a-d529eda15b37', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-26 18:29:02.656+00', '2026-11-26 18:29:02.660794+00');
INSERT INTO public.audit_events VALUES ('01a2191e-40ec-7024-b913-e4cb1d038bc2', 'login_success', 'user', '01a2191d-d6aa-7bcb-9c6e-c23f46f9a5ea', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-26 18:29:02.828+00', '2026-11-26 18:29:02.829167+00');
INSERT INTO public.audit_events VALUES ('01a2191e-4815-72c0-b9f2-dbbe7833c072', 'user_deactivated', 'user', '01a2191d-c09f-75c9-a53a-d529eda15b37', 'cli', '', '{"actor": {"caller_type": "cli"}, "sessions_ended": 1}', '2026-11-26 18:29:04.661+00', '2026-11-26 18:29:04.69435+00');
INSERT INTO public.audit_events VALUES ('01a2191e-5058-7cd2-ad35-558ca32029b7', 'user_deleted', 'user', '01a2191d-d6aa-7bcb-9c6e-c23f46f9a5ea', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "deleted@example.com", "sessions_ended": 1}', '2026-11-26 18:29:06.776+00', '2026-11-26 18:29:06.825+00');
INSERT INTO public.audit_events VALUES ('01a2191d-db8f-7e3c-8bfe-e31ea7268101', 'user_created', 'user', '01a2191d-db8f-7eba-9903-ee984c3443a3', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "erased-SntfnWFclImxy3akEIs3"}', '2026-11-26 18:28:36.879+00', '2026-11-26 18:28:36.924779+00');
INSERT INTO public.audit_events VALUES ('01a2191e-41ad-76f6-a92f-d6a0714b0349', 'login_success', 'user', '01a2191d-db8f-7eba-9903-ee984c3443a3', 'erased-SntfnWFclImxy3akEIs3', 'erased-SntfnWFclImxy3akEIs3', '{"role": "viewer"}', '2026-11-26 18:29:03.021+00', '2026-11-26 18:29:03.023135+00');
INSERT INTO public.audit_events VALUES ('01a2191e-554e-78e2-b562-ec9b523e0c8d', 'user_deleted', 'user', '01a2191d-db8f-7eba-9903-ee984c3443a3', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "erased-SntfnWFclImxy3akEIs3", "sessions_ended": 1}', '2026-11-26 18:29:08.046+00', '2026-11-26 18:29:08.092203+00');
INSERT INTO public.audit_events VALUES ('01a2191e-554e-7113-9afc-b1ef072bfdf5', 'user_erased', 'user', '01a2191d-db8f-7eba-9903-ee984c3443a3', 'cli', '', '{"actor": {"caller_type": "cli"}, "events": 3, "pseudonym": "erased-SntfnWFclImxy3akEIs3"}', '2026-11-26 18:29:08.046+00', '2026-11-26 18:29:08.098194+00');
INSERT INTO public.audit_events VALUES ('01a2191e-5a59-7128-abd3-678217025321', 'user_email_changed', 'user', '01a2191d-d230-79a1-a5b0-2abf704e8023', 'cli', '', '{"to": "renamed@example.com", "from": "former@example.com", "actor": {"caller_type": "cli"}}', '2026-11-26 18:29:09.337+00', '2026-11-26 18:29:09.370454+00');
INSERT INTO public.audit_events VALUES ('01a2191e-5ee0-7a3b-b445-13119dd614d3', 'user_role_changed', 'user', '01a2191d-d230-79a1-a5b0-2abf704e8023', 'cli', '', '{"to": "analyst", "from": "viewer", "actor": {"caller_type": "cli"}}', '2026-11-26 18:29:10.496+00', '2026-11-26 18:29:10.589978+00');
INSERT INTO public.audit_events VALUES ('01a2191e-644e-7224-b2c9-be0a3821c005', 'user_created', 'user', '01a2191e-644e-7e95-b46a-6c2c952d0369', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "imported@example.com"}', '2026-11-26 18:29:11.886+00', '2026-11-26 18:29:11.895625+00');
INSERT INTO public.audit_events VALUES ('01a2191e-644e-7093-8b00-4386d200c395', 'user_created', 'user', '01a2191e-644e-796b-b701-f52de994880c', 'cli', '', '{"role": "analyst", "actor": {"caller_type": "cli"}, "email": "renewed@example.com"}', '2026-11-26 18:29:11.886+00', '2026-11-26 18:29:11.896315+00');
INSERT INTO public.audit_events VALUES ('01a2191e-644e-7e20-9ff3-335538658ad0', 'user_created', 'user', '01a2191e-644e-72b1-b1b1-ccfcc69a6338', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "nothing@example.com"}', '2026-11-26 18:29:11.886+00', '2026-11-26 18:29:11.896352+00');
INSERT INTO public.audit_events VALUES ('01a2191e-64eb-7f91-9d35-511e17addcd1', 'login_success', 'user', '01a2191e-644e-796b-b701-f52de994880c', '127.0.0.1', 'node', '{"role": "analyst"}', '2026-11-26 18:29:12.043+00', '2026-11-26 18:29:12.062571+00');
INSERT INTO public.audit_events VALUES ('01a2191e-65a4-764f-8433-be1214cd7bbb', 'login_success', 'user', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-26 18:29:12.228+00', '2026-11-26 18:29:12.230177+00');
INSERT INTO public.audit_events VALUES ('01a2191e-65eb-7d5a-ab1f-12bdac735ac0', 'login_failure', 'user', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-26 18:29:12.299+00', '2026-11-26 18:29:12.301158+00');
INSERT INTO public.audit_events VALUES ('01a2191e-664f-7ceb-8ebf-68b34bf43215', 'login_failure', 'user', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-26 18:29:12.399+00', '2026-11-26 18:29:12.400929+00');
INSERT INTO public.audit_events VALUES ('01a2191e-66d1-7beb-a768-fb47b2586104', 'login_failure', 'user', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-26 18:29:12.529+00', '2026-11-26 18:29:12.530527+00');
INSERT INTO public.audit_events VALUES ('01a2191e-677d-765d-8575-8ab6a932a27a', 'login_failure', 'user', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-26 18:29:12.701+00', '2026-11-26 18:29:12.702373+00');
INSERT INTO public.audit_events VALUES ('01a2191e-67bd-7612-9c30-e6298299de96', 'login_failure', 'user', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-26 18:29:12.765+00', '2026-11-26 18:29:12.767988+00');
INSERT INTO public.audit_events VALUES ('01a2191e-6b59-7622-91db-de482a5670fd', 'user_created', 'user', '01a2191e-6b59-7790-aa42-d4077cf0fcd7', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "invited@example.com"}', '2026-11-26 18:29:13.689+00', '2026-11-26 18:29:13.718178+00');
INSERT INTO public.audit_events VALUES ('01a2191e-6b7b-783d-917c-915fa8304f24', 'password_link_issued', 'user', '01a2191e-6b59-7790-aa42-d4077cf0fcd7', 'cli', '', '{"actor": {"caller_type": "cli"}, "purpose": "invitation", "expires_at": "2027-11-26T18:29:13.723Z"}', '2026-11-26 18:29:13.723+00', '2026-11-26 18:29:13.731918+00');
INSERT INTO public.audit_events VALUES ('01a2191e-6ee5-7a1a-91be-369b387537ea', 'password_link_issued', 'user', '01a2191d-cdfd-7ceb-b032-ef50e634be4c', 'cli', '', '{"actor": {"caller_type": "cli"}, "purpose": "reset", "expires_at": "2027-11-26T18:29:14.597Z"}', '2026-11-26 18:29:14.597+00', '2026-11-26 18:29:14.621613+00');
INSERT INTO public.audit_events VALUES ('01a2191e-6f1d-738b-b3b2-b09cd8da2c93', 'password_reset_requested', 'user', '01a2191d-c427-7e71-84cf-c988e4420b4a', '127.0.0.1', 'node', '{"email": "forgetful@example.com"}', '2026-11-26 18:29:14.653+00', '2026-11-26 18:29:14.654286+00');
INSERT INTO public.audit_events VALUES ('01a2191e-6f4c-7cb4-9e33-787c252a752e', 'password_link_issued', 'user', '01a2191d-c427-7e71-84cf-c988e4420b4a', '127.0.0.1', '', '{"by": "request", "purpose": "reset", "expires_at": "2027-11-26T18:29:14.700Z"}', '2026-11-26 18:29:14.7+00', '2026-11-26 18:29:14.702674+00');
INSERT INTO public.audit_events VALUES ('01a2191e-7182-7781-ad99-1e838df9c541', 'password_reset_requested', 'user', '01a2191d-c8b1-7014-9ab1-bcf137fb0b52', '127.0.0.1', 'node', '{"email": "waiting@example.com"}', '2026-11-26 18:29:15.266+00', '2026-11-26 18:29:15.266766+00');
INSERT INTO public.audit_events VALUES ('01a2191e-71e0-766a-9c11-e0113a9295e1', 'login_failure', 'user', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '127.0.0.1', 'node', '{"email": "viewer@example.com", "reason": "invalid_credentials"}', '2026-11-26 18:29:15.36+00', '2026-11-26 18:29:15.364491+00');
INSERT INTO public.audit_events VALUES ('01a2191e-7248-764e-b3e3-3d481c718a26', 'login_success', 'user', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '127.0.0.1', 'node', '{"role": "analyst"}', '2026-11-26 18:29:15.464+00', '2026-11-26 18:29:15.466072+00');
INSERT INTO public.audit_events VALUES ('01a2191e-73af-7b7f-b60f-8af251082fa4', 'password_link_issued', 'user', '01a2191d-c8b1-7014-9ab1-bcf137fb0b52', '127.0.0.1', '', '{"by": "request", "purpose": "reset", "expires_at": "2027-11-26T18:29:15.823Z"}', '2026-11-26 18:29:15.823+00', '2026-11-26 18:29:15.82607+00');
INSERT INTO public.audit_events VALUES ('01a2191e-8d59-7e13-a544-d0b9973ce035', 'user_created', 'user', '01a2191e-8d59-7a87-ac98-0303af30a131', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "late@example.com"}', '2026-11-26 18:29:22.393+00', '2026-11-26 18:29:22.422536+00');


--
-- Data for Name: cron_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.cron_keys VALUES ('ck_EEYafPEUmvZxTx9uM4cz', 'nightly', '{reports:write}', '160b90aaa622cabf0e1cfaaa330d161944d4cc0e952ef5eb2ddbfca4cd2f6ff3', '2026-11-26 18:28:47.978+00', NULL, NULL);
INSERT INTO public.cron_keys VALUES ('ck_ACcGzth5Vv1nf5IY59MS', 'former', '{}', 'dfb45f445a37b2c0dd82392c603e85e22011ac1835d10114033feec641dc4fa2', '2026-11-26 18:28:50.103+00', '2026-11-26 18:28:51.434+00', NULL);


--
-- Data for Name: known_devices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.known_devices VALUES ('01a2191d-dc5f-77d5-a472-527f0007b1b2', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '\x399a4d4692fd848e0123d93ba183ad697b27796627b78c833e6dcd9fa57abaa1', 0, NULL, 'node', '2026-11-26 18:28:37.087+00', '2026-11-26 18:28:37.087+00');
INSERT INTO public.known_devices VALUES ('01a2191e-34b5-7a0d-8ff4-78e0ee33da6e', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '\xf14685b607f818e4db1ff3e5bd0be4bd9708160eb1a9675e7623dc6b4048b395', 0, NULL, 'a browser of the fixture', '2026-11-26 18:28:59.701+00', '2026-11-26 18:28:59.701+00');
INSERT INTO public.known_devices VALUES ('01a2191e-35ca-7336-b994-145bb7f97f3b', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '\x064e23a068cbd381d425b1ff9262d55f3c00eeb9656ede37576bc33b309913c1', 0, NULL, 'node', '2026-11-26 18:28:59.978+00', '2026-11-26 18:28:59.978+00');
INSERT INTO public.known_devices VALUES ('01a2191e-36b4-75d8-92ca-7aeb47d8239c', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '\x4f4cce9ce6a5e4212864dd95b3d380b5a72ebb314e9263fe93e08779d7aab749', 0, NULL, 'node', '2026-11-26 18:29:00.212+00', '2026-11-26 18:29:00.212+00');
INSERT INTO public.known_devices VALUES ('01a2191e-379d-7b0b-bd75-1a7be248a5d1', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '\x9aef01322c7609dbe4ce01b1788131dd6db36ab5c269762df3e9b07247c76d83', 0, NULL, 'node', '2026-11-26 18:29:00.445+00', '2026-11-26 18:29:00.445+00');
INSERT INTO public.known_devices VALUES ('01a2191e-39f3-7d20-a2df-408d5fac4417', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '\xff0f26fd9d5af53387dcde294e55bc74b14f68ffcbbff29f89496c1c4d51ff7f', 0, NULL, 'node', '2026-11-26 18:29:01.043+00', '2026-11-26 18:29:01.043+00');
INSERT INTO public.known_devices VALUES ('01a2191e-3f66-78b3-a651-d3dd538f34e7', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '\x5c086b985d19a815b49e651d44f18f6c160758cb72abc6028f5731f41e75f462', 0, NULL, 'node', '2026-11-26 18:29:02.438+00', '2026-11-26 18:29:02.438+00');
INSERT INTO public.known_devices VALUES ('01a2191e-64eb-72b1-902a-85b87dba5b05', '01a2191e-644e-796b-b701-f52de994880c', '\x7c4c77ad5fe1d834ac4b5feabd10c98f2f04e91777ca314edd18363f37536ec3', 0, NULL, 'node', '2026-11-26 18:29:12.043+00', '2026-11-26 18:29:12.043+00');
INSERT INTO public.known_devices VALUES ('01a2191e-65a4-74bd-8748-460a00340e9a', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '\x5a0a2b0ad0c1217b6467a4a2899f666380f0ce5049758e0984fd316dc9282dc2', 0, NULL, 'node', '2026-11-26 18:29:12.228+00', '2026-11-26 18:29:12.228+00');
INSERT INTO public.known_devices VALUES ('01a2191e-7248-7a63-b437-d33541c1df0d', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '\x6931f404418e7a2eea7fa9ead2b28ead24ef22978ec10d2c44301cfed7b468f1', 0, NULL, 'node', '2026-11-26 18:29:15.464+00', '2026-11-26 18:29:15.464+00');


--
-- Data for Name: mikro_orm_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mikro_orm_migrations VALUES (1, 'Migration20261121000001_users_sessions_audit', '2026-11-26 18:28:22.159968+00');
INSERT INTO public.mikro_orm_migrations VALUES (2, 'Migration20261121000002_keys_and_nonces', '2026-11-26 18:28:22.309029+00');
INSERT INTO public.mikro_orm_migrations VALUES (3, 'Migration20261121000003_administration', '2026-11-26 18:28:22.539469+00');
INSERT INTO public.mikro_orm_migrations VALUES (4, 'Migration20261121000004_user_listings', '2026-11-26 18:28:22.612764+00');
INSERT INTO public.mikro_orm_migrations VALUES (5, 'Migration20261121000005_event_names', '2026-11-26 18:28:22.681115+00');
INSERT INTO public.mikro_orm_migrations VALUES (6, 'Migration20261122000001_sessions', '2026-11-26 18:28:22.727417+00');
INSERT INTO public.mikro_orm_migrations VALUES (7, 'Migration20261122000002_sessions_begun_before', '2026-11-26 18:28:22.774286+00');
INSERT INTO public.mikro_orm_migrations VALUES (8, 'Migration20261122000003_rotations_in_place', '2026-11-26 18:28:22.807897+00');
INSERT INTO public.mikro_orm_migrations VALUES (9, 'Migration20261122000004_proof_of_retry', '2026-11-26 18:28:22.862261+00');
INSERT INTO public.mikro_orm_migrations VALUES (10, 'Migration20261122000005_audit_order', '2026-11-26 18:28:22.916106+00');
INSERT INTO public.mikro_orm_migrations VALUES (11, 'Migration20261123000001_password_links', '2026-11-26 18:28:22.976331+00');
INSERT INTO public.mikro_orm_migrations VALUES (12, 'Migration20261123000002_known_devices', '2026-11-26 18:28:23.029322+00');
INSERT INTO public.mikro_orm_migrations VALUES (13, 'Migration20261124000001_sweep_by_key', '2026-11-26 18:28:23.122099+00');
INSERT INTO public.mikro_orm_migrations VALUES (14, 'Migration20261125000001_outbox', '2026-11-26 18:28:23.173267+00');
INSERT INTO public.mikro_orm_migrations VALUES (15, 'Migration20261125000002_audit_lookups', '2026-11-26 18:28:23.259509+00');
INSERT INTO public.mikro_orm_migrations VALUES (16, 'Migration20261125000003_listings', '2026-11-26 18:28:23.329719+00');


--
-- Data for Name: outbox_cursors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.outbox_cursors VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', 'webhook', '2026-11-26 18:29:15.82607+00', '01a2191e-73af-7b7f-b60f-8af251082fa4', '2026-11-26 18:29:05.980328+00', '00000000-0000-0000-0000-000000000000', NULL, NULL, 0, NULL, NULL, NULL, '2026-11-26 18:29:16.018+00', 'delivered', 204);
INSERT INTO public.outbox_cursors VALUES ('6d61696c-0000-4000-8000-000000000001', 'mail', '2026-11-26 18:29:15.82607+00', '01a2191e-73af-7b7f-b60f-8af251082fa4', '2026-11-26 18:29:10.058759+00', '00000000-0000-0000-0000-000000000000', NULL, NULL, 0, NULL, NULL, NULL, '2026-11-26 18:29:20.088+00', 'deferred', 451);
INSERT INTO public.outbox_cursors VALUES ('01a2191e-235e-71bf-be01-594201c9e97c', 'webhook', '2026-11-26 18:28:55.291953+00', '01a2191e-235e-7540-90f3-15b8f9943a8b', '2026-11-26 18:28:55.285125+00', '00000000-0000-0000-0000-000000000000', NULL, NULL, 0, NULL, '2026-11-26 18:28:57.658+00', 'operator', NULL, NULL, NULL);


--
-- Data for Name: outbox_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-5058-7cd2-ad35-558ca32029b7', '2026-11-26 18:29:06.825+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-554e-78e2-b562-ec9b523e0c8d', '2026-11-26 18:29:08.092203+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-554e-7113-9afc-b1ef072bfdf5', '2026-11-26 18:29:08.098194+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-5a59-7128-abd3-678217025321', '2026-11-26 18:29:09.370454+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-5ee0-7a3b-b445-13119dd614d3', '2026-11-26 18:29:10.589978+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a2191e-5ee0-7a3b-b445-13119dd614d3', '2026-11-26 18:29:10.589978+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-644e-7224-b2c9-be0a3821c005', '2026-11-26 18:29:11.895625+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-644e-7093-8b00-4386d200c395', '2026-11-26 18:29:11.896315+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-644e-7e20-9ff3-335538658ad0', '2026-11-26 18:29:11.896352+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-64eb-7f91-9d35-511e17addcd1', '2026-11-26 18:29:12.062571+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-65a4-764f-8433-be1214cd7bbb', '2026-11-26 18:29:12.230177+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-65eb-7d5a-ab1f-12bdac735ac0', '2026-11-26 18:29:12.301158+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-664f-7ceb-8ebf-68b34bf43215', '2026-11-26 18:29:12.400929+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-66d1-7beb-a768-fb47b2586104', '2026-11-26 18:29:12.530527+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-677d-765d-8575-8ab6a932a27a', '2026-11-26 18:29:12.702373+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-67bd-7612-9c30-e6298299de96', '2026-11-26 18:29:12.767988+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-6b59-7622-91db-de482a5670fd', '2026-11-26 18:29:13.718178+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-6b7b-783d-917c-915fa8304f24', '2026-11-26 18:29:13.731918+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-6ee5-7a1a-91be-369b387537ea', '2026-11-26 18:29:14.621613+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-6f1d-738b-b3b2-b09cd8da2c93', '2026-11-26 18:29:14.654286+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a2191e-6f1d-738b-b3b2-b09cd8da2c93', '2026-11-26 18:29:14.654286+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-6f4c-7cb4-9e33-787c252a752e', '2026-11-26 18:29:14.702674+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-7182-7781-ad99-1e838df9c541', '2026-11-26 18:29:15.266766+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-71e0-766a-9c11-e0113a9295e1', '2026-11-26 18:29:15.364491+00', '2026-11-26 18:29:20.828+00', 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-7248-764e-b3e3-3d481c718a26', '2026-11-26 18:29:15.466072+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', '01a2191e-73af-7b7f-b60f-8af251082fa4', '2026-11-26 18:29:15.82607+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a2191e-7182-7781-ad99-1e838df9c541', '2026-11-26 18:29:15.266766+00', '2026-11-26 18:34:40.466+00', 2);


--
-- Data for Name: password_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.password_links VALUES ('01a2191e-6b59-7790-aa42-d4077cf0fcd7', '\x8a1642c7af9e57cadef7cd6ec7ba9f03b3ef68aa12fc306e835255864df3a405', 0, 'invitation', '2027-11-26 18:29:13.723+00', NULL);
INSERT INTO public.password_links VALUES ('01a2191d-cdfd-7ceb-b032-ef50e634be4c', '\x1dfe01fd7e943c20e5237a91010d9888e3118849ed7c223e2273593e336223a9', 0, 'reset', '2027-11-26 18:29:14.597+00', NULL);
INSERT INTO public.password_links VALUES ('01a2191d-c427-7e71-84cf-c988e4420b4a', '\x549bbb5d7ccbe022cf763588fa548817286325dee5356ee8447e37ea366b5366', 0, 'reset', '2027-11-26 18:29:14.7+00', NULL);
INSERT INTO public.password_links VALUES ('01a2191d-c8b1-7014-9ab1-bcf137fb0b52', '\xeeeb77576709d5927680a3fb5bfb703c7c92cb7630beaa94cd14f0540beb2aa1', 0, 'reset', '2027-11-26 18:29:15.823+00', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiVmk5cVJWQ1oxN0pqM1p0M0p4c3R2OCIsImtleV9pZCI6IjAxYTIxOTFkLWM4YjEtNzAxNC05YWIxLWJjZjEzN2ZiMGI1MiJ9..frt8_Vyq4OHaPdEe.Sc-cWNGxSuMQbdOOIIqhmIww_YPb50EW_yO07nwkHXbcHZ1L74bXjFapO8XJHZOb3a9CyA.oIiyjm4J5GBmGM0JwuGaPg');


--
-- Data for Name: rate_limits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rate_limits VALUES ('api_key:ak_1oKVGEcDrm7bCxTKWIbF', 1, 1795717784408);
INSERT INTO public.rate_limits VALUES ('forgot:24e8e78209e83ddf514317e437f9029fbec2621d733f61bfa735819bdc3465ad', 1, 1795721354650);
INSERT INTO public.rate_limits VALUES ('forgot:99658a8b160eb6323f873f7fca90bac21ab82c4d01a89005b7df8929a28d9c27', 1, 1795721355264);
INSERT INTO public.rate_limits VALUES ('login:127.0.0.1', 22, 1795718616999);


--
-- Data for Name: refresh_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refresh_tokens VALUES ('01a2191d-dc5f-73fe-bdbe-140a1a2f5231', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '01a2191d-dc5f-7ef6-8681-0f7bb932ba5e', false, NULL, NULL, 'node', '127.0.0.1', '2026-11-26 18:28:38+00', '2026-11-26 18:28:37.087+00', '2026-11-26 18:28:37.087+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191d-dc5f-77d5-a472-527f0007b1b2');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-34b5-7cfb-8107-5e482d21af7d', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '01a2191e-34b5-7225-a193-1f282a649b44', false, NULL, NULL, 'a browser of the fixture', '127.0.0.1', '2026-12-10 18:28:59+00', '2026-11-26 18:28:59.701+00', '2026-11-26 18:28:59.701+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-34b5-7a0d-8ff4-78e0ee33da6e');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-35ca-70dd-abbd-897ee9dd4aa9', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '01a2191e-35ca-7580-9e39-45ca772c4960', true, 'rotated', '2026-11-26 18:29:00.005+00', 'node', '127.0.0.1', '2026-12-10 18:28:59+00', '2026-11-26 18:28:59.978+00', '2026-11-26 18:28:59.978+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-35ca-7336-b994-145bb7f97f3b');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-35e5-7bec-bbe0-4a3bde599434', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '01a2191e-35ca-7580-9e39-45ca772c4960', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-10 18:29:00+00', '2026-11-26 18:29:00.005+00', '2026-11-26 18:28:59.978+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-35ca-7336-b994-145bb7f97f3b');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-36b4-701d-8bde-d7d47ae52ba5', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '01a2191e-36b4-74ff-b95a-efba56bae5c9', true, 'rotated', '2026-11-26 18:29:00.234+00', 'node', '127.0.0.1', '2026-12-10 18:29:00+00', '2026-11-26 18:29:00.212+00', '2026-11-26 18:29:00.212+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-36b4-75d8-92ca-7aeb47d8239c');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-36ca-7418-84ce-be892fe700f4', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '01a2191e-36b4-74ff-b95a-efba56bae5c9', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-10 18:29:00+00', '2026-11-26 18:29:00.234+00', '2026-11-26 18:29:00.212+00', '01a2191e-36b4-701d-8bde-d7d47ae52ba5', '\x72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793', NULL, NULL, NULL, NULL, NULL, '01a2191e-36b4-75d8-92ca-7aeb47d8239c');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-379d-749a-9b11-15c8ab5caad9', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '01a2191e-379d-7279-a5d4-927c1c31aa47', true, 'logout', '2026-11-26 18:29:00.469+00', 'node', '127.0.0.1', '2026-12-10 18:29:00+00', '2026-11-26 18:29:00.445+00', '2026-11-26 18:29:00.445+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-379d-7b0b-bd75-1a7be248a5d1');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-3906-7771-9703-9b03f608673e', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '01a2191e-3906-79ad-9e64-cf66cd8f660d', true, 'rotated', '2026-11-26 18:29:00.837+00', 'node', '127.0.0.1', '2026-12-10 18:29:00+00', '2026-11-26 18:29:00.806+00', '2026-11-26 18:29:00.806+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-3906-7a98-b126-a093a44128ae');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-3925-7e47-ba5e-ab03c4dd8837', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '01a2191e-3906-79ad-9e64-cf66cd8f660d', true, 'token_theft', '2026-11-26 18:29:00.857+00', 'node', '127.0.0.1', '2026-12-10 18:29:00+00', '2026-11-26 18:29:00.837+00', '2026-11-26 18:29:00.806+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-3906-7a98-b126-a093a44128ae');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-39f3-7678-ba14-7c8f65bae5f8', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '01a2191e-39f3-79b8-806f-384226ad829b', true, 'session_revoked', '2026-11-26 18:29:02.242+00', 'node', '127.0.0.1', '2026-12-10 18:29:01+00', '2026-11-26 18:29:01.043+00', '2026-11-26 18:29:01.043+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-39f3-7d20-a2df-408d5fac4417');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-3f66-77cf-aea9-49e5a1b89486', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '01a2191e-3f66-7327-857c-9089d100f6ae', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-10 18:29:02+00', '2026-11-26 18:29:02.438+00', '2026-11-26 18:29:02.438+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-3f66-78b3-a651-d3dd538f34e7');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-4040-775e-a600-ea254d30baf8', '01a2191d-c09f-75c9-a53a-d529eda15b37', '01a2191e-4040-793e-8b39-e218b3159a42', true, 'user_deactivated', '2026-11-26 18:29:04.661+00', 'node', '127.0.0.1', '2026-12-10 18:29:02+00', '2026-11-26 18:29:02.656+00', '2026-11-26 18:29:02.656+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-4040-729f-bd8c-b3d49c3a5743');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-40ec-7e66-ba0b-a3e0282ddb17', '01a2191d-d6aa-7bcb-9c6e-c23f46f9a5ea', '01a2191e-40ec-7de9-a941-63d31486e204', true, 'user_deleted', '2026-11-26 18:29:06.776+00', 'node', '127.0.0.1', '2026-12-10 18:29:02+00', '2026-11-26 18:29:02.828+00', '2026-11-26 18:29:02.828+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-40ec-7d96-a7c1-c52a08e522f3');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-41ad-7061-9003-231dd13c43da', '01a2191d-db8f-7eba-9903-ee984c3443a3', '01a2191e-41ad-7603-911d-ebfc5147b9b4', true, 'user_deleted', '2026-11-26 18:29:08.046+00', 'erased-SntfnWFclImxy3akEIs3', 'erased-SntfnWFclImxy3akEIs3', '2026-12-10 18:29:03+00', '2026-11-26 18:29:03.021+00', '2026-11-26 18:29:03.021+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-41ad-70e4-b8f8-17f73715bde2');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-64eb-7688-ae11-13c7146d2885', '01a2191e-644e-796b-b701-f52de994880c', '01a2191e-64eb-7f82-8759-b0f421f2c59e', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-10 18:29:12+00', '2026-11-26 18:29:12.043+00', '2026-11-26 18:29:12.043+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-64eb-72b1-902a-85b87dba5b05');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-65a4-731c-9231-6116a789dfe3', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '01a2191e-65a4-7a72-9325-f7193075a92f', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-10 18:29:12+00', '2026-11-26 18:29:12.228+00', '2026-11-26 18:29:12.228+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-65a4-74bd-8748-460a00340e9a');
INSERT INTO public.refresh_tokens VALUES ('01a2191e-7248-76a7-91e2-007f2178e4cd', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '01a2191e-7248-724c-a47e-67b881c73749', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-10 18:29:15+00', '2026-11-26 18:29:15.464+00', '2026-11-26 18:29:15.464+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a2191e-7248-7a63-b437-d33541c1df0d');


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES ('01a2191d-dc5f-7ef6-8681-0f7bb932ba5e', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '2026-11-26 18:28:37.087+00');
INSERT INTO public.sessions VALUES ('01a2191e-34b5-7225-a193-1f282a649b44', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '2026-11-26 18:28:59.701+00');
INSERT INTO public.sessions VALUES ('01a2191e-35ca-7580-9e39-45ca772c4960', '01a2191d-b8e4-7375-89ce-ea3a7ecd7631', '2026-11-26 18:28:59.978+00');
INSERT INTO public.sessions VALUES ('01a2191e-36b4-74ff-b95a-efba56bae5c9', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '2026-11-26 18:29:00.212+00');
INSERT INTO public.sessions VALUES ('01a2191e-379d-7279-a5d4-927c1c31aa47', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '2026-11-26 18:29:00.445+00');
INSERT INTO public.sessions VALUES ('01a2191e-3906-79ad-9e64-cf66cd8f660d', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '2026-11-26 18:29:00.806+00');
INSERT INTO public.sessions VALUES ('01a2191e-39f3-79b8-806f-384226ad829b', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '2026-11-26 18:29:01.043+00');
INSERT INTO public.sessions VALUES ('01a2191e-3f66-7327-857c-9089d100f6ae', '01a2191d-b196-7ac2-80a3-e246f68e5fa7', '2026-11-26 18:29:02.438+00');
INSERT INTO public.sessions VALUES ('01a2191e-4040-793e-8b39-e218b3159a42', '01a2191d-c09f-75c9-a53a-d529eda15b37', '2026-11-26 18:29:02.656+00');
INSERT INTO public.sessions VALUES ('01a2191e-40ec-7de9-a941-63d31486e204', '01a2191d-d6aa-7bcb-9c6e-c23f46f9a5ea', '2026-11-26 18:29:02.828+00');
INSERT INTO public.sessions VALUES ('01a2191e-41ad-7603-911d-ebfc5147b9b4', '01a2191d-db8f-7eba-9903-ee984c3443a3', '2026-11-26 18:29:03.021+00');
INSERT INTO public.sessions VALUES ('01a2191e-64eb-7f82-8759-b0f421f2c59e', '01a2191e-644e-796b-b701-f52de994880c', '2026-11-26 18:29:12.043+00');
INSERT INTO public.sessions VALUES ('01a2191e-65a4-7a72-9325-f7193075a92f', '01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', '2026-11-26 18:29:12.228+00');
INSERT INTO public.sessions VALUES ('01a2191e-7248-724c-a47e-67b881c73749', '01a2191d-b50c-7357-89ac-1bb8f81682ca', '2026-11-26 18:29:15.464+00');


--
-- Data for Name: signature_nonces; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signature_nonces VALUES ('ak_1oKVGEcDrm7bCxTKWIbF', 'HWtLSmtdSAwjtfLw32vL6p', '2026-11-26 18:34:44+00');


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('01a2191d-d230-79a1-a5b0-2abf704e8023', 'renamed@example.com', '$argon2id$v=19$m=19456,p=1,t=2$wN3ROJ9z7td2ld7HPcqPJQ$aht+OSmMYNfKnt4zO9gpDQPTlhmdgZaelgBOst8dQwU', 0, 'analyst', true, 0, NULL, NULL, '2026-11-26 18:28:34.48+00', false);
INSERT INTO public.users VALUES ('01a2191d-c427-7e71-84cf-c988e4420b4a', 'forgetful@example.com', '$argon2id$v=19$m=19456,p=1,t=2$z236/RV81tCOOOIlTHa/Fw$Q695H4T8f0TK7L7sHU/jodZxZTl9ycWVQTsBf3WXivg', 0, 'viewer', true, 0, NULL, NULL, '2026-11-26 18:28:30.887+00', false);
INSERT INTO public.users VALUES ('01a2191d-c8b1-7014-9ab1-bcf137fb0b52', 'waiting@example.com', '$argon2id$v=19$m=19456,p=1,t=2$j7M2L85w2TJB1DDIS4Rr7g$p+XKQfcJpjYmFb/aTcLv+hdqa4G1q5SluW+NR2bDlME', 0, 'viewer', true, 0, NULL, NULL, '2026-11-26 18:28:32.049+00', false);
INSERT INTO public.users VALUES ('01a2191d-cdfd-7ceb-b032-ef50e634be4c', 'stranded@example.com', '$argon2id$v=19$m=19456,p=1,t=2$vut1oFwO2FUjBEtzY/9xjQ$yRatWABKV7YL67nYyRq+nYK0oW3Rb0A2PVmJ7YDC/OM', 0, 'viewer', true, 0, NULL, NULL, '2026-11-26 18:28:33.405+00', false);
INSERT INTO public.users VALUES ('01a2191e-644e-7e95-b46a-6c2c952d0369', 'imported@example.com', '$2y$04$7hojdEBqzTtqRFl1sI2clOLyguJ.rgEI0BaDcOIfFUECiGXFh0xOu', 0, 'viewer', true, 0, NULL, NULL, '2026-11-26 18:29:11.886+00', true);
INSERT INTO public.users VALUES ('01a2191e-644e-72b1-b1b1-ccfcc69a6338', 'nothing@example.com', NULL, 0, 'viewer', true, 0, NULL, NULL, '2026-11-26 18:29:11.886+00', false);
INSERT INTO public.users VALUES ('01a2191e-644e-796b-b701-f52de994880c', 'renewed@example.com', '$argon2id$v=19$m=19456,p=1,t=2$b1GyGYHkZJ360vEDws5tHQ$6wWhNzDo8WOR5n1V6/xAm9aOGYPPk8rLXlSB2TPpqxY', 0, 'analyst', true, 0, NULL, '2026-11-26 18:29:12.043+00', '2026-11-26 18:29:11.886+00', true);
INSERT INTO public.users VALUES ('01a2191d-bcab-746d-8fbb-bfb37c2ab9fa', 'locked@example.com', '$argon2id$v=19$m=19456,p=1,t=2$CgfpYK7OKNXyaZ3tqxpfvA$X7zKXZ0YDAavVrZaHYH/3vClMoFFeO6oevX9T+bndsA', 0, 'viewer', true, 5, '2026-11-26 18:44:12.765+00', '2026-11-26 18:29:12.228+00', '2026-11-26 18:28:28.971+00', false);
INSERT INTO public.users VALUES ('01a2191e-6b59-7790-aa42-d4077cf0fcd7', 'invited@example.com', NULL, 0, 'viewer', true, 0, NULL, NULL, '2026-11-26 18:29:13.689+00', false);
INSERT INTO public.users VALUES ('01a2191d-b8e4-7375-89ce-ea3a7ecd7631', 'viewer@example.com', '$argon2id$v=19$m=19456,p=1,t=2$bHZmkhJhU4/uEpgfr3FHIQ$cDzGq4ZzbW+3de6d+ldsvNyXpWT8QmMSqfFOeDwQ9LI', 0, 'viewer', true, 1, NULL, '2026-11-26 18:28:59.978+00', '2026-11-26 18:28:28.004+00', false);
INSERT INTO public.users VALUES ('01a2191d-b50c-7357-89ac-1bb8f81682ca', 'analyst@example.com', '$argon2id$v=19$m=19456,p=1,t=2$hnHvT6ieKOT4/ccw1vdV9w$A9D2jtA2/5wQsT1cnJE/ORgbQDro9BZRzm+ulS23IS4', 0, 'analyst', true, 0, NULL, '2026-11-26 18:29:15.464+00', '2026-11-26 18:28:27.02+00', false);
INSERT INTO public.users VALUES ('01a2191d-b196-7ac2-80a3-e246f68e5fa7', 'admin@example.com', '$argon2id$v=19$m=19456,p=1,t=2$79mMsZsRUV7KfCe+7AcZzQ$30VbQj4DdhdFd7kf6Mc3hAWJIb3PgUF9kbBJFSYvQvo', 0, 'admin', true, 0, NULL, '2026-11-26 18:29:02.438+00', '2026-11-26 18:28:26.134+00', false);
INSERT INTO public.users VALUES ('01a2191e-8d59-7a87-ac98-0303af30a131', 'late@example.com', '$argon2id$v=19$m=19456,p=1,t=2$o/gOixlpJxEz3kaM5rzqtQ$Cl8Ovcbn6IOzC1FRzPn4B4VKYQxbPJSjYpb9i2G5PjM', 0, 'viewer', true, 0, NULL, NULL, '2026-11-26 18:29:22.393+00', false);
INSERT INTO public.users VALUES ('01a2191d-c09f-75c9-a53a-d529eda15b37', 'inactive@example.com', '$argon2id$v=19$m=19456,p=1,t=2$T8WEq43RI8zVomub4M3OrA$nkHWbVQ+OyU7IYeOigT2UgTfuGRCADxtCMmytoQ5/uQ', 0, 'viewer', false, 0, NULL, '2026-11-26 18:29:02.656+00', '2026-11-26 18:28:29.983+00', false);


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES ('01a2191e-235e-71bf-be01-594201c9e97c', 'http://localhost:18181/paused', '{login_success}', false, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiVmk5cVJWQ1oxN0pqM1p0M0p4c3R2OCIsImtleV9pZCI6IjAxYTIxOTFlLTIzNWUtNzFiZi1iZTAxLTU5NDIwMWM5ZTk3YyJ9..8bvs5WMQra19XePU.59RkyoMLWthNPtcw--hZu4aq3BJEHQEd3wv7WfnDmMVvIqLLD2J1CrJrPqUGlhn3Wv8.TTnHjHzbm8g7uuco0nJ9fQ', NULL, NULL, '2026-11-26 18:28:55.262+00');
INSERT INTO public.webhooks VALUES ('01a2191e-1c4e-7b6a-ab8f-d8ec8fcc6cd7', 'http://localhost:18181/all', NULL, true, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiVmk5cVJWQ1oxN0pqM1p0M0p4c3R2OCIsImtleV9pZCI6IjAxYTIxOTFlLTFjNGUtN2I2YS1hYjhmLWQ4ZWM4ZmNjNmNkNyJ9..bR3mpqeISE5ORbu9.VGScghIBfb7sn-ZoUNvLdbMHEBB_kKNdFzf1QqHqs8UHZo9AcecAyDwyWB6wIton_GU.UIAY0yB7zfT6PU-4SXqRLA', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiVmk5cVJWQ1oxN0pqM1p0M0p4c3R2OCIsImtleV9pZCI6IjAxYTIxOTFlLTFjNGUtN2I2YS1hYjhmLWQ4ZWM4ZmNjNmNkNyJ9..l65HcZ-VnZclACj1.ZGCZkC5T24xVdFsIyxxb9FzNJIfluQgVB27dKF60F4XNlsPwjaGS_v3NasIK8fA3ic4.jdoXcB-HLuMhw-aqdgOZ5A', '2026-12-26 18:28:59.19+00', '2026-11-26 18:28:53.454+00');


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.mikro_orm_migrations_id_seq', 16, true);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (key_id);


--
-- Name: audit_events audit_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (id);


--
-- Name: cron_keys cron_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cron_keys
    ADD CONSTRAINT cron_keys_pkey PRIMARY KEY (key_id);


--
-- Name: known_devices known_devices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_devices
    ADD CONSTRAINT known_devices_pkey PRIMARY KEY (id);


--
-- Name: known_devices known_devices_secret_sha256_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_devices
    ADD CONSTRAINT known_devices_secret_sha256_unique UNIQUE (secret_sha256);


--
-- Name: mikro_orm_migrations mikro_orm_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.mikro_orm_migrations
    ADD CONSTRAINT mikro_orm_migrations_pkey PRIMARY KEY (id);


--
-- Name: outbox_cursors outbox_cursors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outbox_cursors
    ADD CONSTRAINT outbox_cursors_pkey PRIMARY KEY (id);


--
-- Name: outbox_events outbox_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.outbox_events
    ADD CONSTRAINT outbox_events_pkey PRIMARY KEY (cursor_id, event_id);


--
-- Name: password_links password_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_pkey PRIMARY KEY (user_id);


--
-- Name: password_links password_links_token_sha256_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_token_sha256_unique UNIQUE (token_sha256);


--
-- Name: rate_limits rate_limits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);


--
-- Name: refresh_tokens refresh_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (jti);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (family_id);


--
-- Name: signature_nonces signature_nonces_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signature_nonces
    ADD CONSTRAINT signature_nonces_pkey PRIMARY KEY (key_id, nonce);


--
-- Name: users users_email_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_unique UNIQUE (email);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);


--
-- Name: audit_events_actor; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_actor ON public.audit_events USING btree (COALESCE(((metadata -> 'actor'::text) ->> 'sub'::text), ((metadata -> 'actor'::text) ->> 'key_id'::text)), created_at, id) WHERE ((metadata -> 'actor'::text) IS NOT NULL);


--
-- Name: audit_events_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_email ON public.audit_events USING btree (((metadata ->> 'email'::text)), created_at, id) WHERE ((metadata ->> 'email'::text) IS NOT NULL);


--
-- Name: audit_events_entity; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_entity ON public.audit_events USING btree (COALESCE((metadata ->> 'key_id'::text), (metadata ->> 'webhook_id'::text)), created_at, id) WHERE (entity_type <> 'user'::text);


--
-- Name: audit_events_event_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_event_type ON public.audit_events USING btree (event_type, created_at, id);


--
-- Name: audit_events_ip_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_ip_address ON public.audit_events USING btree (ip_address, created_at, id);


--
-- Name: audit_events_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_newest ON public.audit_events USING btree (created_at, id) INCLUDE (event_type);


--
-- Name: audit_events_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_session ON public.audit_events USING btree (((metadata ->> 'family_id'::text)), created_at, id) WHERE ((metadata ->> 'family_id'::text) IS NOT NULL);


--
-- Name: audit_events_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_user_id ON public.audit_events USING btree (user_id, created_at, id);


--
-- Name: audit_events_written; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_events_written ON public.audit_events USING btree (written_at, id);


--
-- Name: known_devices_last_used_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX known_devices_last_used_at ON public.known_devices USING btree (last_used_at);


--
-- Name: known_devices_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX known_devices_user_id ON public.known_devices USING btree (user_id, last_used_at);


--
-- Name: outbox_events_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX outbox_events_order ON public.outbox_events USING btree (cursor_id, written_at, event_id);


--
-- Name: password_links_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX password_links_expires_at ON public.password_links USING btree (expires_at);


--
-- Name: rate_limits_expire; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX rate_limits_expire ON public.rate_limits USING btree (expire);


--
-- Name: refresh_tokens_family_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX refresh_tokens_family_id ON public.refresh_tokens USING btree (family_id, created_at);


--
-- Name: sessions_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_user_id ON public.sessions USING btree (user_id, started_at);


--
-- Name: signature_nonces_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX signature_nonces_expires_at ON public.signature_nonces USING btree (expires_at);


--
-- Name: users_created_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_created_at ON public.users USING btree (created_at, id);


--
-- Name: users_is_active; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_is_active ON public.users USING btree (is_active, email);


--
-- Name: users_locked; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_locked ON public.users USING btree (email) WHERE (locked_until IS NOT NULL);


--
-- Name: users_role; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_role ON public.users USING btree (role, email);


--
-- Name: refresh_tokens begin_session; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER begin_session AFTER INSERT ON public.refresh_tokens FOR EACH ROW WHEN ((new.created_at = new.session_started_at)) EXECUTE FUNCTION public.begin_session();


--
-- Name: refresh_tokens forget_session; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER forget_session AFTER DELETE ON public.refresh_tokens FOR EACH ROW WHEN ((old.revoked_reason IS DISTINCT FROM 'rotated'::text)) EXECUTE FUNCTION public.forget_session();


--
-- Name: known_devices limit_devices; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER limit_devices AFTER INSERT ON public.known_devices FOR EACH ROW EXECUTE FUNCTION public.limit_devices();


--
-- PostgreSQL database dump complete
--

\unrestrict nl475hKT9oc2gMRtXsuOQaUdKcLEyLTi2evJgtfolc5Iix3jjnX99hV7z9VK5X9

