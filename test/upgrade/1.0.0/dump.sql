--
-- PostgreSQL database dump
--

\restrict Vhve5NGb1bDjzxIOFGCIZYTi66LN6XhodtyUSuEsOTOWgW2D9RA92ymkkx4SKb9

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
    expires_at timestamp with time zone,
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
-- Name: ceremonies; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ceremonies (
    token_sha256 bytea NOT NULL,
    purpose text NOT NULL,
    user_id uuid,
    password_version integer,
    family_id uuid,
    half_login_sha256 bytea,
    user_handle bytea,
    sealed_secret text,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT ceremonies_purpose_known CHECK ((purpose = ANY (ARRAY['half_login'::text, 'passkey_login'::text, 'second_factor'::text, 'confirmation'::text, 'passkey_enrolment'::text, 'totp_enrolment'::text])))
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
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone,
    previous_secret_sha256 text,
    previous_ends_at timestamp with time zone
);


--
-- Name: email_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.email_changes (
    user_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    email text NOT NULL,
    password_version integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sealed_token text
);


--
-- Name: email_undos; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.email_undos (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    email text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sealed_token text
);


--
-- Name: factors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.factors (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    sealed_secret text,
    last_step integer,
    credential_id bytea,
    user_handle bytea,
    public_key bytea,
    sign_count bigint,
    transports text[],
    is_synced boolean,
    CONSTRAINT factors_kind_known CHECK ((kind = ANY (ARRAY['totp'::text, 'passkey'::text]))),
    CONSTRAINT factors_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT factors_whole CHECK (
CASE kind
    WHEN 'totp'::text THEN (sealed_secret IS NOT NULL)
    ELSE (num_nulls(credential_id, user_handle, public_key, sign_count, transports, is_synced) = 0)
END)
);


--
-- Name: gate_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.gate_codes (
    code_sha256 bytea NOT NULL,
    user_id uuid NOT NULL,
    family_id uuid NOT NULL,
    origin text NOT NULL,
    target text NOT NULL,
    state_sha256 bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
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
    attempt_count bigint DEFAULT 0 NOT NULL,
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
-- Name: recovery_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recovery_codes (
    user_id uuid NOT NULL,
    code_sha256 bytea NOT NULL
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
    amr text[],
    proved_at timestamp with time zone,
    CONSTRAINT refresh_tokens_user_agent_length CHECK ((char_length(user_agent) <= 512))
)
WITH (fillfactor='85');


--
-- Name: requested_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.requested_links (
    user_id uuid NOT NULL,
    event_id uuid NOT NULL,
    token_sha256 bytea NOT NULL,
    password_version integer NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sealed_token text,
    mailed_at timestamp with time zone[] NOT NULL,
    has_failed boolean DEFAULT false NOT NULL
);


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
    has_factors boolean DEFAULT false NOT NULL,
    CONSTRAINT users_email_lower_case CHECK (((email = lower(email)) AND (char_length(email) <= 254))),
    CONSTRAINT users_failed_login_attempts_not_negative CHECK ((failed_login_attempts >= 0)),
    CONSTRAINT users_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'analyst'::text, 'admin'::text])))
);


--
-- Name: webhook_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_attempts (
    webhook_id uuid NOT NULL,
    slot integer NOT NULL,
    number bigint NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    attempt integer,
    at timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    status integer,
    milliseconds integer NOT NULL
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

INSERT INTO public.api_keys VALUES ('ak_t08LXmJPMuzlDUUn2pqO', 'reader', '{users:read}', 1000, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6ImFrX3QwOExYbUpQTXV6bERVVW4ycHFPIn0..U3J9MAUPmM0EbkS9.ZxOD5OEXmZSt6aZJj5NKdLs6Yd72j4otwFBfyIQwQ4cuEMb9V2wJT7mxERbSPSIok-MhAsU.JRtgPk8m7eyPdz0Hj6pgVQ', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6ImFrX3QwOExYbUpQTXV6bERVVW4ycHFPIn0..2nzDZuvikVTUdyif.XwOmL4xDwGOfy6-4bjstQCqjoOeT8deahXZwI7bnVuHp_s0qJK_RyMMz_zr_gAylaqHoxXI.09QQyh3MEqebbIBe8LT_-w', '2026-12-29 08:59:44.967+00', '2026-11-29 08:59:44.12+00', NULL, '2026-11-29 08:59:45.485+00', NULL);
INSERT INTO public.api_keys VALUES ('ak_sET6bKToN1xPyv22MduI', 'former', '{users:read}', 60, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6ImFrX3NFVDZiS1RvTjF4UHl2MjJNZHVJIn0..E78eHTDMLmPemOMT.Y7VPdl4hYij2glgk_s6qBKMEdMMU69IN2arHkwiMJprnpDtBx7EAsUtgR49fptVw6gfkoWw.okukskMk9GinJU2UfcH9zQ', NULL, NULL, '2026-11-29 08:59:46.206+00', '2026-11-29 08:59:46.856+00', NULL, NULL);


--
-- Data for Name: audit_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_events VALUES ('01a22687-dc0b-7a10-bda6-9d7fcc0831f7', 'user_created', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', 'cli', '', '{"role": "admin", "actor": {"caller_type": "cli"}, "email": "admin@example.com"}', '2026-11-29 08:59:27.627+00', '2026-11-29 08:59:27.63448+00');
INSERT INTO public.audit_events VALUES ('01a22687-ded6-79b1-9c32-59531f6fd53f', 'user_created', 'user', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', 'cli', '', '{"role": "analyst", "actor": {"caller_type": "cli"}, "email": "analyst@example.com"}', '2026-11-29 08:59:28.342+00', '2026-11-29 08:59:28.353121+00');
INSERT INTO public.audit_events VALUES ('01a22687-e1f9-78f0-901d-12917bea3a16', 'user_created', 'user', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "viewer@example.com"}', '2026-11-29 08:59:29.145+00', '2026-11-29 08:59:29.150594+00');
INSERT INTO public.audit_events VALUES ('01a22687-e4ca-7191-ac86-d4d32877bcf9', 'user_created', 'user', '01a22687-e4ca-7a4a-9de0-6db0c641a250', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "locked@example.com"}', '2026-11-29 08:59:29.866+00', '2026-11-29 08:59:29.875429+00');
INSERT INTO public.audit_events VALUES ('01a22687-e7c8-79d0-b827-788990232547', 'user_created', 'user', '01a22687-e7c8-7a5f-a896-d60eb9b8a45b', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "inactive@example.com"}', '2026-11-29 08:59:30.632+00', '2026-11-29 08:59:30.637822+00');
INSERT INTO public.audit_events VALUES ('01a22687-ea9d-7742-96ca-eadf92758802', 'user_created', 'user', '01a22687-ea9d-7006-935f-d3b2d1211fa9', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "forgetful@example.com"}', '2026-11-29 08:59:31.357+00', '2026-11-29 08:59:31.362009+00');
INSERT INTO public.audit_events VALUES ('01a22687-ed3d-7b88-a418-6bed514eb5cb', 'user_created', 'user', '01a22687-ed3d-718e-919f-38ae608188b5', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "waiting@example.com"}', '2026-11-29 08:59:32.029+00', '2026-11-29 08:59:32.04106+00');
INSERT INTO public.audit_events VALUES ('01a22687-f080-736d-9b2f-f1a54af16eef', 'user_created', 'user', '01a22687-f080-79d7-bd70-123026e9e802', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "stranded@example.com"}', '2026-11-29 08:59:32.864+00', '2026-11-29 08:59:32.8725+00');
INSERT INTO public.audit_events VALUES ('01a22687-f35c-7f34-b8a2-f04bce49b2b3', 'user_created', 'user', '01a22687-f35c-7b12-b17d-48d74482e1a8', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "former@example.com"}', '2026-11-29 08:59:33.596+00', '2026-11-29 08:59:33.60166+00');
INSERT INTO public.audit_events VALUES ('01a22687-f675-7b90-b320-62c4979c4645', 'user_created', 'user', '01a22687-f675-767f-a013-6383646f3817', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "deleted@example.com"}', '2026-11-29 08:59:34.389+00', '2026-11-29 08:59:34.39561+00');
INSERT INTO public.audit_events VALUES ('01a22687-fd29-74ec-a06c-e6a6c9df33d9', 'user_created', 'user', '01a22687-fd29-76ad-88e0-58f0c3aed385', 'cli', '', '{"role": "analyst", "actor": {"caller_type": "cli"}, "email": "proved@example.com"}', '2026-11-29 08:59:36.105+00', '2026-11-29 08:59:36.111343+00');
INSERT INTO public.audit_events VALUES ('01a22688-0207-7a25-86c4-e6c8e84bff7c', 'user_created', 'user', '01a22688-0207-787d-8fe1-9cfe5574d29c', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "keyed@example.com"}', '2026-11-29 08:59:37.351+00', '2026-11-29 08:59:37.358362+00');
INSERT INTO public.audit_events VALUES ('01a22688-050e-73e5-9493-ab58ab2c3689', 'user_created', 'user', '01a22688-050e-7b19-ad4f-f1f39e043a69', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "moving@example.com"}', '2026-11-29 08:59:38.126+00', '2026-11-29 08:59:38.132295+00');
INSERT INTO public.audit_events VALUES ('01a22688-07b4-7555-bf15-f5e6cea422a9', 'user_created', 'user', '01a22688-07b4-7f29-b537-9c0e707a7965', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "moved@example.com"}', '2026-11-29 08:59:38.804+00', '2026-11-29 08:59:38.810039+00');
INSERT INTO public.audit_events VALUES ('01a22688-080d-7e50-a8ce-18875558de4e', 'login_success', 'user', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 08:59:38.893+00', '2026-11-29 08:59:38.895733+00');
INSERT INTO public.audit_events VALUES ('01a22688-1c78-7e27-bc65-f7450dca0612', 'api_key_created', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_t08LXmJPMuzlDUUn2pqO", "scopes": ["users:read"], "rate_limit": 1000, "service_name": "reader"}', '2026-11-29 08:59:44.12+00', '2026-11-29 08:59:44.14124+00');
INSERT INTO public.audit_events VALUES ('01a22688-1fc7-7e14-a33f-d7ac8395d5cb', 'api_key_rotated', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_t08LXmJPMuzlDUUn2pqO", "overlap_seconds": 2592000}', '2026-11-29 08:59:44.967+00', '2026-11-29 08:59:45.002963+00');
INSERT INTO public.audit_events VALUES ('01a22688-249e-7673-96c9-c7540760d346', 'api_key_created', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_sET6bKToN1xPyv22MduI", "scopes": ["users:read"], "rate_limit": 60, "service_name": "former"}', '2026-11-29 08:59:46.206+00', '2026-11-29 08:59:46.227658+00');
INSERT INTO public.audit_events VALUES ('01a22688-2728-76de-a0c2-27981363a99a', 'api_key_revoked', 'api_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ak_sET6bKToN1xPyv22MduI", "service_name": "former"}', '2026-11-29 08:59:46.856+00', '2026-11-29 08:59:46.886886+00');
INSERT INTO public.audit_events VALUES ('01a22688-29d4-7979-b038-723f7d56c674', 'cron_key_created', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_g6wgPZLcBo4KauzXJzRw", "scopes": ["reports:write"], "service_name": "nightly"}', '2026-11-29 08:59:47.54+00', '2026-11-29 08:59:47.571102+00');
INSERT INTO public.audit_events VALUES ('01a22688-2c6f-71a6-9958-4a06aaff73df', 'cron_key_rotated', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_g6wgPZLcBo4KauzXJzRw", "overlap_seconds": 2592000}', '2026-11-29 08:59:48.207+00', '2026-11-29 08:59:48.233599+00');
INSERT INTO public.audit_events VALUES ('01a22688-2eed-7ad9-a241-c6a998f5ed02', 'cron_key_created', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_XP7mpWliUGPc6tvDviz9", "scopes": [], "expires_at": "2026-11-29T08:59:49.556Z", "service_name": "temporary"}', '2026-11-29 08:59:48.845+00', '2026-11-29 08:59:48.889658+00');
INSERT INTO public.audit_events VALUES ('01a22688-3169-79be-886e-aa9fd3ed693e', 'cron_key_created', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_HhXcyREok16s63J47KC4", "scopes": [], "service_name": "former"}', '2026-11-29 08:59:49.481+00', '2026-11-29 08:59:49.561569+00');
INSERT INTO public.audit_events VALUES ('01a22688-340d-7cd1-9e04-aa6f210f580a', 'cron_key_revoked', 'cron_key', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "key_id": "ck_HhXcyREok16s63J47KC4", "service_name": "former"}', '2026-11-29 08:59:50.157+00', '2026-11-29 08:59:50.179847+00');
INSERT INTO public.audit_events VALUES ('01a22688-36ce-7ea6-8f37-da2fd7179d8e', 'webhook_created', 'webhook', NULL, 'cli', '', '{"host": "localhost:18181", "actor": {"caller_type": "cli"}, "webhook_id": "01a22688-36ce-7f8b-b6c3-ba94ed766de2", "event_types": null, "include_emails": true}', '2026-11-29 08:59:50.862+00', '2026-11-29 08:59:50.88372+00');
INSERT INTO public.audit_events VALUES ('01a22688-3f22-71f3-80bc-d3f17939f67e', 'login_success', 'user', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '127.0.0.1', 'a browser of the fixture', '{"role": "viewer"}', '2026-11-29 08:59:52.994+00', '2026-11-29 08:59:52.99662+00');
INSERT INTO public.audit_events VALUES ('01a22688-3956-7d16-9fe5-37a1dd165103', 'webhook_created', 'webhook', NULL, 'cli', '', '{"host": "localhost:18181", "actor": {"caller_type": "cli"}, "webhook_id": "01a22688-3956-7575-93c4-5feec75d07b3", "event_types": ["login_success"], "include_emails": false}', '2026-11-29 08:59:51.51+00', '2026-11-29 08:59:51.529459+00');
INSERT INTO public.audit_events VALUES ('01a22688-3bcc-7c4d-9544-ffaec216cb4b', 'webhook_paused', 'webhook', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "webhook_id": "01a22688-3956-7575-93c4-5feec75d07b3"}', '2026-11-29 08:59:52.14+00', '2026-11-29 08:59:52.147577+00');
INSERT INTO public.audit_events VALUES ('01a22688-3e81-7001-8cf6-5bbe856c3823', 'webhook_secret_rotated', 'webhook', NULL, 'cli', '', '{"actor": {"caller_type": "cli"}, "webhook_id": "01a22688-36ce-7f8b-b6c3-ba94ed766de2", "overlap_seconds": 2592000}', '2026-11-29 08:59:52.833+00', '2026-11-29 08:59:52.863954+00');
INSERT INTO public.audit_events VALUES ('01a22688-3f58-76b2-9ca4-408b5c58c892', 'login_success', 'user', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 08:59:53.048+00', '2026-11-29 08:59:53.049997+00');
INSERT INTO public.audit_events VALUES ('01a22688-3f22-71f3-83bc-cee200451058', 'notice_sent', 'user', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', 'gateway', '', '{"kind": "new_login"}', '2026-11-29 08:59:53.14+00', '2026-11-29 08:59:53.141591+00');
INSERT INTO public.audit_events VALUES ('01a22688-3fc7-7efb-b941-ee5673cce5b4', 'login_success', 'user', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '127.0.0.1', 'node', '{"role": "analyst"}', '2026-11-29 08:59:53.159+00', '2026-11-29 08:59:53.160748+00');
INSERT INTO public.audit_events VALUES ('01a22688-407e-78b3-b0c0-5846dc4ed5bf', 'login_success', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-29 08:59:53.342+00', '2026-11-29 08:59:53.345914+00');
INSERT INTO public.audit_events VALUES ('01a22688-4087-7fc0-8416-e5eb224c4a83', 'logout', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', '127.0.0.1', NULL, '{"jti": "01a22688-407e-79d4-a779-5b37696bb111"}', '2026-11-29 08:59:53.351+00', '2026-11-29 08:59:53.352612+00');
INSERT INTO public.audit_events VALUES ('01a22688-40b6-7aa2-ba14-e8711135150a', 'login_success', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-29 08:59:53.398+00', '2026-11-29 08:59:53.399377+00');
INSERT INTO public.audit_events VALUES ('01a22688-40c4-778e-b1db-5130272023b3', 'token_theft', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', '127.0.0.1', 'node', '{"family_id": "01a22688-40b6-7294-8486-2db6a1a17b40", "reused_jti": "01a22688-40b6-7c8f-9a74-81ea33a75c73"}', '2026-11-29 08:59:53.412+00', '2026-11-29 08:59:53.414697+00');
INSERT INTO public.audit_events VALUES ('01a22688-414f-7105-a044-3bdd61dc8f74', 'login_success', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-29 08:59:53.551+00', '2026-11-29 08:59:53.554107+00');
INSERT INTO public.audit_events VALUES ('01a22688-40c4-778e-8881-d158e51ed8a1', 'notice_sent', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', 'gateway', '', '{"kind": "token_theft"}', '2026-11-29 08:59:54.422+00', '2026-11-29 08:59:54.422766+00');
INSERT INTO public.audit_events VALUES ('01a22688-4573-7c78-a440-05972cb0e44e', 'session_revoked', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', 'cli', '', '{"actor": {"caller_type": "cli"}, "family_id": "01a22688-414f-73f5-a0bf-6feeff5aecc3"}', '2026-11-29 08:59:54.611+00', '2026-11-29 08:59:54.61604+00');
INSERT INTO public.audit_events VALUES ('01a22688-45eb-7115-9bfe-e2c482a52e10', 'login_success', 'user', '01a22687-dc0b-750f-9d20-52029d02f9e1', '127.0.0.1', 'node', '{"role": "admin"}', '2026-11-29 08:59:54.731+00', '2026-11-29 08:59:54.732113+00');
INSERT INTO public.audit_events VALUES ('01a22688-460b-7878-8cbb-542bb50e058c', 'login_success', 'user', '01a22687-fd29-76ad-88e0-58f0c3aed385', '127.0.0.1', 'node', '{"role": "analyst"}', '2026-11-29 08:59:54.763+00', '2026-11-29 08:59:54.764234+00');
INSERT INTO public.audit_events VALUES ('01a22688-4624-7d42-80ae-bbbcfe696e8e', 'factor_added', 'user', '01a22687-fd29-76ad-88e0-58f0c3aed385', '127.0.0.1', 'node', '{"kind": "totp", "factor_id": "01a22688-4610-7421-8d98-34f4e0c898ee", "family_id": "01a22688-460b-719b-a184-64a646275c12"}', '2026-11-29 08:59:54.788+00', '2026-11-29 08:59:54.794428+00');
INSERT INTO public.audit_events VALUES ('01a22688-464c-759b-8078-9b1895daa31f', 'login_success', 'user', '01a22687-fd29-76ad-88e0-58f0c3aed385', '127.0.0.1', 'node', '{"role": "analyst", "factor": "recovery_code"}', '2026-11-29 08:59:54.828+00', '2026-11-29 08:59:54.829591+00');
INSERT INTO public.audit_events VALUES ('01a22688-464c-724c-a98c-9ad36a245fd9', 'recovery_code_used', 'user', '01a22687-fd29-76ad-88e0-58f0c3aed385', '127.0.0.1', 'node', '{"left": 9, "family_id": "01a22688-464c-75a6-b990-cc81bc9b20f8"}', '2026-11-29 08:59:54.828+00', '2026-11-29 08:59:54.829638+00');
INSERT INTO public.audit_events VALUES ('01a22688-4680-75c5-a183-4fd78bf1ccdb', 'login_success', 'user', '01a22688-0207-787d-8fe1-9cfe5574d29c', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 08:59:54.88+00', '2026-11-29 08:59:54.882328+00');
INSERT INTO public.audit_events VALUES ('01a22688-4715-7b12-bcb4-ca28b5735da7', 'factor_added', 'user', '01a22688-0207-787d-8fe1-9cfe5574d29c', '127.0.0.1', 'node', '{"kind": "passkey", "factor_id": "01a22688-4715-7e43-8d9e-6c9812e472cd", "family_id": "01a22688-4680-78e7-822b-cd709056ea85"}', '2026-11-29 08:59:55.029+00', '2026-11-29 08:59:55.032277+00');
INSERT INTO public.audit_events VALUES ('01a22688-4740-77c8-91c0-765b8f9395cd', 'login_success', 'user', '01a22688-050e-7b19-ad4f-f1f39e043a69', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 08:59:55.072+00', '2026-11-29 08:59:55.073437+00');
INSERT INTO public.audit_events VALUES ('01a22688-4747-7a4b-9f75-cceeee2d3424', 'email_change_requested', 'user', '01a22688-050e-7b19-ad4f-f1f39e043a69', '127.0.0.1', 'node', '{"to": "movingto@example.com", "family_id": "01a22688-4740-7af8-8229-f6e380110d04"}', '2026-11-29 08:59:55.079+00', '2026-11-29 08:59:55.081173+00');
INSERT INTO public.audit_events VALUES ('01a22688-4624-7d42-8ee8-54d026fdeeee', 'notice_sent', 'user', '01a22687-fd29-76ad-88e0-58f0c3aed385', 'gateway', '', '{"kind": "factor_added"}', '2026-11-29 08:59:55.495+00', '2026-11-29 08:59:55.496306+00');
INSERT INTO public.audit_events VALUES ('01a22688-464c-724c-8027-75c7b41fded1', 'notice_sent', 'user', '01a22687-fd29-76ad-88e0-58f0c3aed385', 'gateway', '', '{"kind": "recovery_code_used"}', '2026-11-29 08:59:55.521+00', '2026-11-29 08:59:55.522176+00');
INSERT INTO public.audit_events VALUES ('01a22688-4715-7b12-8054-f94bc93d8921', 'notice_sent', 'user', '01a22688-0207-787d-8fe1-9cfe5574d29c', 'gateway', '', '{"kind": "factor_added"}', '2026-11-29 08:59:55.537+00', '2026-11-29 08:59:55.537416+00');
INSERT INTO public.audit_events VALUES ('01a22688-4962-74cf-80d8-030f8522eb93', 'login_success', 'user', '01a22688-07b4-7f29-b537-9c0e707a7965', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 08:59:55.618+00', '2026-11-29 08:59:55.619571+00');
INSERT INTO public.audit_events VALUES ('01a22688-4969-7f33-b22a-ca82b1d1f5cb', 'email_change_requested', 'user', '01a22688-07b4-7f29-b537-9c0e707a7965', '127.0.0.1', 'node', '{"to": "movedto@example.com", "family_id": "01a22688-4962-777b-8cd3-fc79ad7f4cb9"}', '2026-11-29 08:59:55.625+00', '2026-11-29 08:59:55.626407+00');
INSERT INTO public.audit_events VALUES ('01a22688-4ee8-74ac-b456-f2c1068274fc', 'email_changed', 'user', '01a22688-07b4-7f29-b537-9c0e707a7965', '127.0.0.1', 'node', '{"to": "movedto@example.com", "from": "moved@example.com", "family_id": "01a22688-4962-777b-8cd3-fc79ad7f4cb9"}', '2026-11-29 08:59:57.032+00', '2026-11-29 08:59:57.035877+00');
INSERT INTO public.audit_events VALUES ('01a22688-4ee8-74ac-82c1-e82bd0ebfe62', 'notice_sent', 'user', '01a22688-07b4-7f29-b537-9c0e707a7965', 'gateway', '', '{"kind": "email_changed"}', '2026-11-29 08:59:57.601+00', '2026-11-29 08:59:57.601857+00');
INSERT INTO public.audit_events VALUES ('01a22688-515f-7175-afb2-5b118f1e81ca', 'login_success', 'user', '01a22687-e7c8-7a5f-a896-d60eb9b8a45b', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 08:59:57.663+00', '2026-11-29 08:59:57.663974+00');
INSERT INTO public.audit_events VALUES ('01a22688-5177-7708-b319-aa18e75c4624', 'login_success', 'user', '01a22687-f675-767f-a013-6383646f3817', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 08:59:57.687+00', '2026-11-29 08:59:57.688042+00');
INSERT INTO public.audit_events VALUES ('01a22688-531c-7bac-b529-9974f86bfbf0', 'user_deactivated', 'user', '01a22687-e7c8-7a5f-a896-d60eb9b8a45b', 'cli', '', '{"actor": {"caller_type": "cli"}, "sessions_ended": 1}', '2026-11-29 08:59:58.108+00', '2026-11-29 08:59:58.133028+00');
INSERT INTO public.audit_events VALUES ('01a22688-54d6-74e4-b431-1b3c29fda514', 'user_deleted', 'user', '01a22687-f675-767f-a013-6383646f3817', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "deleted@example.com", "sessions_ended": 1}', '2026-11-29 08:59:58.55+00', '2026-11-29 08:59:58.571775+00');
INSERT INTO public.audit_events VALUES ('01a22687-fa36-7569-a39b-68cd82b2e6a7', 'user_created', 'user', '01a22687-fa36-79e3-9e15-38cfd3f45dbb', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "erased-B52Vl3UiJLW3opUYL1rR"}', '2026-11-29 08:59:35.35+00', '2026-11-29 08:59:35.355403+00');
INSERT INTO public.audit_events VALUES ('01a22688-518f-7397-877e-010994c73dfa', 'login_success', 'user', '01a22687-fa36-79e3-9e15-38cfd3f45dbb', 'erased-B52Vl3UiJLW3opUYL1rR', 'erased-B52Vl3UiJLW3opUYL1rR', '{"role": "viewer"}', '2026-11-29 08:59:57.711+00', '2026-11-29 08:59:57.712114+00');
INSERT INTO public.audit_events VALUES ('01a22688-5681-7667-85f2-e1fbef101671', 'user_deleted', 'user', '01a22687-fa36-79e3-9e15-38cfd3f45dbb', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "erased-B52Vl3UiJLW3opUYL1rR", "sessions_ended": 1}', '2026-11-29 08:59:58.977+00', '2026-11-29 08:59:58.999483+00');
INSERT INTO public.audit_events VALUES ('01a22688-5681-7204-b8de-49d2c09fcd2c', 'user_erased', 'user', '01a22687-fa36-79e3-9e15-38cfd3f45dbb', 'cli', '', '{"actor": {"caller_type": "cli"}, "events": 3, "pseudonym": "erased-B52Vl3UiJLW3opUYL1rR"}', '2026-11-29 08:59:58.977+00', '2026-11-29 08:59:59.002282+00');
INSERT INTO public.audit_events VALUES ('01a22688-582e-78bd-9c3b-19848a1993b0', 'user_email_changed', 'user', '01a22687-f35c-7b12-b17d-48d74482e1a8', 'cli', '', '{"to": "renamed@example.com", "from": "former@example.com", "actor": {"caller_type": "cli"}}', '2026-11-29 08:59:59.406+00', '2026-11-29 08:59:59.427004+00');
INSERT INTO public.audit_events VALUES ('01a22688-582e-78bd-8d37-90cc9a888f5d', 'notice_sent', 'user', '01a22687-f35c-7b12-b17d-48d74482e1a8', 'gateway', '', '{"kind": "email_changed"}', '2026-11-29 08:59:59.637+00', '2026-11-29 08:59:59.63884+00');
INSERT INTO public.audit_events VALUES ('01a22688-582e-78bd-8d03-a8e70236342f', 'notice_sent', 'user', '01a22687-f35c-7b12-b17d-48d74482e1a8', 'gateway', '', '{"kind": "email_changed"}', '2026-11-29 08:59:59.637+00', '2026-11-29 08:59:59.63918+00');
INSERT INTO public.audit_events VALUES ('01a22688-59e8-78be-93f5-090147270974', 'user_role_changed', 'user', '01a22687-f35c-7b12-b17d-48d74482e1a8', 'cli', '', '{"to": "analyst", "from": "viewer", "actor": {"caller_type": "cli"}}', '2026-11-29 08:59:59.848+00', '2026-11-29 08:59:59.866686+00');
INSERT INTO public.audit_events VALUES ('01a22688-5b9a-733f-a3b1-90ae13373ef3', 'user_created', 'user', '01a22688-5b9a-7470-8508-04f2d200c8ba', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "imported@example.com"}', '2026-11-29 09:00:00.282+00', '2026-11-29 09:00:00.28823+00');
INSERT INTO public.audit_events VALUES ('01a22688-5b9a-713e-ac0d-9fc4c8094265', 'user_created', 'user', '01a22688-5b9a-7ef4-95aa-006a11382f15', 'cli', '', '{"role": "analyst", "actor": {"caller_type": "cli"}, "email": "renewed@example.com"}', '2026-11-29 09:00:00.282+00', '2026-11-29 09:00:00.28853+00');
INSERT INTO public.audit_events VALUES ('01a22688-5b9a-7b9a-88f2-3736b96d32df', 'user_created', 'user', '01a22688-5b9a-71a7-85c3-f6533c143fcc', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "nothing@example.com"}', '2026-11-29 09:00:00.282+00', '2026-11-29 09:00:00.288541+00');
INSERT INTO public.audit_events VALUES ('01a22688-5bce-70c7-83f2-ce64cfb8ca0a', 'login_success', 'user', '01a22688-5b9a-7ef4-95aa-006a11382f15', '127.0.0.1', 'node', '{"role": "analyst"}', '2026-11-29 09:00:00.334+00', '2026-11-29 09:00:00.335236+00');
INSERT INTO public.audit_events VALUES ('01a22688-5be5-7d78-8882-a367b85d0cd7', 'login_success', 'user', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '127.0.0.1', 'node', '{"role": "viewer"}', '2026-11-29 09:00:00.357+00', '2026-11-29 09:00:00.357943+00');
INSERT INTO public.audit_events VALUES ('01a22688-5bfe-7d28-a302-ba9d7b736cf3', 'login_failure', 'user', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-29 09:00:00.382+00', '2026-11-29 09:00:00.383539+00');
INSERT INTO public.audit_events VALUES ('01a22688-5c18-76b0-9cbb-286df30d6816', 'login_failure', 'user', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-29 09:00:00.408+00', '2026-11-29 09:00:00.409672+00');
INSERT INTO public.audit_events VALUES ('01a22688-5c2f-7991-ae33-b90e2c50aa1a', 'login_failure', 'user', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-29 09:00:00.431+00', '2026-11-29 09:00:00.432719+00');
INSERT INTO public.audit_events VALUES ('01a22688-5c46-77fd-a73a-25a835c4d1ce', 'login_failure', 'user', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-29 09:00:00.454+00', '2026-11-29 09:00:00.454873+00');
INSERT INTO public.audit_events VALUES ('01a22688-5c5d-771c-8702-f71ed3d15db0', 'login_failure', 'user', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '127.0.0.1', 'node', '{"email": "locked@example.com", "reason": "invalid_credentials"}', '2026-11-29 09:00:00.477+00', '2026-11-29 09:00:00.478742+00');
INSERT INTO public.audit_events VALUES ('01a22688-5fd0-7eaf-a4d9-874f3a33548e', 'password_reset_requested', 'user', '01a22687-ea9d-7006-935f-d3b2d1211fa9', '127.0.0.1', 'node', '{"email": "forgetful@example.com"}', '2026-11-29 09:00:01.36+00', '2026-11-29 09:00:01.361016+00');
INSERT INTO public.audit_events VALUES ('01a22688-64b8-7165-abc3-43dd42991201', 'password_reset_requested', 'user', '01a22687-ed3d-718e-919f-38ae608188b5', '127.0.0.1', 'node', '{"email": "waiting@example.com"}', '2026-11-29 09:00:02.616+00', '2026-11-29 09:00:02.617047+00');
INSERT INTO public.audit_events VALUES ('01a22688-64cf-7c35-8249-49908ebe0466', 'login_failure', 'user', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '127.0.0.1', 'node', '{"email": "viewer@example.com", "reason": "invalid_credentials"}', '2026-11-29 09:00:02.639+00', '2026-11-29 09:00:02.64009+00');
INSERT INTO public.audit_events VALUES ('01a22688-64e6-7c45-a721-885e2a8af981', 'login_success', 'user', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '127.0.0.1', 'node', '{"role": "analyst"}', '2026-11-29 09:00:02.662+00', '2026-11-29 09:00:02.663335+00');
INSERT INTO public.audit_events VALUES ('01a22688-59e8-78be-86a1-f15323e49ea4', 'notice_sent', 'user', '01a22687-f35c-7b12-b17d-48d74482e1a8', 'gateway', '', '{"kind": "role_changed"}', '2026-11-29 09:00:00.668+00', '2026-11-29 09:00:00.668629+00');
INSERT INTO public.audit_events VALUES ('01a22688-5df6-72b3-bfce-f6e5093a8e48', 'user_created', 'user', '01a22688-5df6-70dc-a251-157c49ede8bb', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "invited@example.com"}', '2026-11-29 09:00:00.886+00', '2026-11-29 09:00:00.891154+00');
INSERT INTO public.audit_events VALUES ('01a22688-5dfd-718b-9950-d6dd728ffc56', 'password_link_issued', 'user', '01a22688-5df6-70dc-a251-157c49ede8bb', 'cli', '', '{"actor": {"caller_type": "cli"}, "purpose": "invitation", "expires_at": "2027-11-29T09:00:00.893Z"}', '2026-11-29 09:00:00.893+00', '2026-11-29 09:00:00.909351+00');
INSERT INTO public.audit_events VALUES ('01a22688-5fa7-78b3-8eec-63c7c94c366b', 'password_link_issued', 'user', '01a22687-f080-79d7-bd70-123026e9e802', 'cli', '', '{"actor": {"caller_type": "cli"}, "purpose": "reset", "expires_at": "2027-11-29T09:00:01.319Z"}', '2026-11-29 09:00:01.319+00', '2026-11-29 09:00:01.336504+00');
INSERT INTO public.audit_events VALUES ('01a22688-610f-7ffb-9271-15be59019d32', 'password_link_issued', 'user', '01a22687-ea9d-7006-935f-d3b2d1211fa9', '127.0.0.1', '', '{"by": "request", "purpose": "reset", "expires_at": "2027-11-29T09:00:01.679Z"}', '2026-11-29 09:00:01.679+00', '2026-11-29 09:00:01.681601+00');
INSERT INTO public.audit_events VALUES ('01a22688-6508-736f-b362-40dab99de4eb', 'password_link_issued', 'user', '01a22687-ed3d-718e-919f-38ae608188b5', '127.0.0.1', '', '{"by": "request", "purpose": "reset", "expires_at": "2027-11-29T09:00:02.696Z"}', '2026-11-29 09:00:02.696+00', '2026-11-29 09:00:02.7022+00');
INSERT INTO public.audit_events VALUES ('01a22688-7d46-7c56-943d-8c78ed23750f', 'user_created', 'user', '01a22688-7d46-770c-bbb9-ec260d4f4f00', 'cli', '', '{"role": "viewer", "actor": {"caller_type": "cli"}, "email": "late@example.com"}', '2026-11-29 09:00:08.902+00', '2026-11-29 09:00:08.908286+00');


--
-- Data for Name: ceremonies; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: cron_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.cron_keys VALUES ('ck_g6wgPZLcBo4KauzXJzRw', 'nightly', '{reports:write}', 'afede4ff60763e9e4f2a5c3a31249f7a6b947224f100c0ef864cbcaea6204fa1', '2026-11-29 08:59:47.54+00', NULL, NULL, NULL, '510e504a02c26bd913b9c802e70355506a514d82cc012b4d5f2a629da711044f', '2026-12-29 08:59:48.207+00');
INSERT INTO public.cron_keys VALUES ('ck_XP7mpWliUGPc6tvDviz9', 'temporary', '{}', '82045db89135fd136eac2af3b46964c672412312a11e7cd901970b7378110087', '2026-11-29 08:59:48.845+00', NULL, NULL, '2026-11-29 08:59:49.556+00', NULL, NULL);
INSERT INTO public.cron_keys VALUES ('ck_HhXcyREok16s63J47KC4', 'former', '{}', 'db776fd0e0c1746291c8e4e9b053d9bea7318da19389ae562c2707fe88f7b402', '2026-11-29 08:59:49.481+00', '2026-11-29 08:59:50.157+00', NULL, NULL, NULL, NULL);


--
-- Data for Name: email_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.email_changes VALUES ('01a22688-050e-7b19-ad4f-f1f39e043a69', '\x3c5d9de8b8a7e115a3ab476d82c2466c0a2f36b3f3e47401a2fcfbeba966e9c8', 'movingto@example.com', 0, '2026-11-29 09:29:55.079+00', NULL);


--
-- Data for Name: email_undos; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.email_undos VALUES ('01a22688-4ee8-7064-a5b5-d3377a9113cb', '01a22688-07b4-7f29-b537-9c0e707a7965', '\xf67175372a5fd856375458e9ec31bd042a1a09e480283dd42e2fb8019e697295', 'moved@example.com', '2026-12-02 08:59:57.032+00', NULL);


--
-- Data for Name: factors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.factors VALUES ('01a22688-4610-7421-8d98-34f4e0c898ee', '01a22687-fd29-76ad-88e0-58f0c3aed385', 'totp', 'Authenticator app', '2026-11-29 08:59:54.788+00', NULL, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6IjAxYTIyNjg4LTQ2MTAtNzQyMS04ZDk4LTM0ZjRlMGM4OThlZSJ9..vY1Ym9UNqShid8nZ.qZxmj9tTcVZyX0dmL9R5F1XaSQJPI0aFvaLZ2Pi71SQ.Ccg7ISWG_DjA5NbhwAfslA', 59864759, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.factors VALUES ('01a22688-4715-7e43-8d9e-6c9812e472cd', '01a22688-0207-787d-8fe1-9cfe5574d29c', 'passkey', 'Laptop', '2026-11-29 08:59:55.029+00', NULL, NULL, NULL, '\xd55df99cd5e064599bb01060e01c3e2adc5368da61bdc80791eba490dc297918', '\xb3f23a8c7691a951bae224a3a6a666d4d376a1acc38b24e2d611b7acdc0e093d', '\xa501020326200121582070cb323d235e343878c84efb49bf75446f5eaa1e7dd481e4490943bbcbff8e9d22582045d7cc1bee3568b58ae581adfcd60f3a5b98c8e03d5c9e15c7206fb3aab6e5a7', 0, '{internal,hybrid}', false);


--
-- Data for Name: gate_codes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: known_devices; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.known_devices VALUES ('01a22688-080d-7485-b2ec-5e863b601d2e', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '\x2daec636829efda0997a7109c7a4a2637fd66fb02cca38a6dd30ba23d0a01218', 0, NULL, 'node', '2026-11-29 08:59:38.893+00', '2026-11-29 08:59:38.893+00');
INSERT INTO public.known_devices VALUES ('01a22688-3f22-771f-98ae-6883fec1e6aa', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '\x585ac2064c723e038bb09d3353033b7c1a976d4464507f501544116bdeab3249', 0, NULL, 'a browser of the fixture', '2026-11-29 08:59:52.994+00', '2026-11-29 08:59:52.994+00');
INSERT INTO public.known_devices VALUES ('01a22688-3f58-7517-b46b-2cf9b5e71836', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '\x57d0378c6cc678c6ebdb01519aad3b88c08506976011c4a04b5fd9d610b0fd27', 0, NULL, 'node', '2026-11-29 08:59:53.048+00', '2026-11-29 08:59:53.048+00');
INSERT INTO public.known_devices VALUES ('01a22688-3fc7-7bd7-9d92-2ec2b8415655', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '\xa3ea2dcf27b8cf1e8bc70ffe2b66dd986b2c90315087072a60e2fce3aa5feb30', 0, NULL, 'node', '2026-11-29 08:59:53.159+00', '2026-11-29 08:59:53.159+00');
INSERT INTO public.known_devices VALUES ('01a22688-407e-7ca3-b219-1481186bc3db', '01a22687-dc0b-750f-9d20-52029d02f9e1', '\x0c8bf21402831b20739d6a532edfb627dc219ac585425aef01555045c037eea4', 0, NULL, 'node', '2026-11-29 08:59:53.342+00', '2026-11-29 08:59:53.342+00');
INSERT INTO public.known_devices VALUES ('01a22688-414f-73b5-b105-1fdad5c194d9', '01a22687-dc0b-750f-9d20-52029d02f9e1', '\x217d3edcdb1289039567f873960a6cfa7ba3d103470f089ccf490affa3f0974c', 0, NULL, 'node', '2026-11-29 08:59:53.551+00', '2026-11-29 08:59:53.551+00');
INSERT INTO public.known_devices VALUES ('01a22688-45eb-7c63-8d02-437ba5a4b346', '01a22687-dc0b-750f-9d20-52029d02f9e1', '\x0b34918533458432cbc6a55270290eafe2e173530525c470585324cf13474639', 0, NULL, 'node', '2026-11-29 08:59:54.731+00', '2026-11-29 08:59:54.731+00');
INSERT INTO public.known_devices VALUES ('01a22688-460b-731e-8f67-93a09d19e3e2', '01a22687-fd29-76ad-88e0-58f0c3aed385', '\x4dada7b119cd2a4c5942237653cb799257b2f43f249d2514896ae6db89ce3eb6', 0, NULL, 'node', '2026-11-29 08:59:54.763+00', '2026-11-29 08:59:54.763+00');
INSERT INTO public.known_devices VALUES ('01a22688-464c-701f-b167-4c360ba41f76', '01a22687-fd29-76ad-88e0-58f0c3aed385', '\xdc41e61317a786df39e67d0b28389322bc7a79cc5909eedfbd2fc2f6b04e53cf', 0, NULL, 'node', '2026-11-29 08:59:54.828+00', '2026-11-29 08:59:54.828+00');
INSERT INTO public.known_devices VALUES ('01a22688-4680-78af-87f8-4746f6583e1e', '01a22688-0207-787d-8fe1-9cfe5574d29c', '\x94d25ca8bec288c04d9a5fb6f5ffe7a68c2c5a003e7d335396e7388d949b3f0a', 0, NULL, 'node', '2026-11-29 08:59:54.88+00', '2026-11-29 08:59:54.88+00');
INSERT INTO public.known_devices VALUES ('01a22688-4740-7676-8958-7381116f4ab8', '01a22688-050e-7b19-ad4f-f1f39e043a69', '\x8395eb3c385904b0caaf72c3a099df58f02b3a006e86b348e5dc11d9467ba796', 0, NULL, 'node', '2026-11-29 08:59:55.072+00', '2026-11-29 08:59:55.072+00');
INSERT INTO public.known_devices VALUES ('01a22688-4962-73fd-b887-b48b3a2c1800', '01a22688-07b4-7f29-b537-9c0e707a7965', '\xec8ce99c5a0719001752a7ff7298c83e889c3367812f622273f657881eb6936a', 0, NULL, 'node', '2026-11-29 08:59:55.618+00', '2026-11-29 08:59:55.618+00');
INSERT INTO public.known_devices VALUES ('01a22688-5bce-7c08-8508-ea24ed38fefc', '01a22688-5b9a-7ef4-95aa-006a11382f15', '\x44f904b6fae33a8734c8d5472264d49acddc0ff5cb9d652e1e21ae5e57d0d7b0', 0, NULL, 'node', '2026-11-29 09:00:00.334+00', '2026-11-29 09:00:00.334+00');
INSERT INTO public.known_devices VALUES ('01a22688-5be5-76a6-9302-188513def4a1', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '\xe6971e4a153cc44f112c83fbbe0fa0251de71622a97385ce8ec9ae847f899765', 0, NULL, 'node', '2026-11-29 09:00:00.357+00', '2026-11-29 09:00:00.357+00');
INSERT INTO public.known_devices VALUES ('01a22688-64e6-704a-8405-e909999db1f7', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '\xdf748d6ab525876828d0af3bca2abc37c0b86da5c6bf55ac2b39701c4df0d15f', 0, NULL, 'node', '2026-11-29 09:00:02.662+00', '2026-11-29 09:00:02.662+00');


--
-- Data for Name: mikro_orm_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.mikro_orm_migrations VALUES (1, 'Migration20261121000001_users_sessions_audit', '2026-11-29 08:59:24.799411+00');
INSERT INTO public.mikro_orm_migrations VALUES (2, 'Migration20261121000002_keys_and_nonces', '2026-11-29 08:59:24.836424+00');
INSERT INTO public.mikro_orm_migrations VALUES (3, 'Migration20261121000003_administration', '2026-11-29 08:59:25.016285+00');
INSERT INTO public.mikro_orm_migrations VALUES (4, 'Migration20261121000004_user_listings', '2026-11-29 08:59:25.041335+00');
INSERT INTO public.mikro_orm_migrations VALUES (5, 'Migration20261121000005_event_names', '2026-11-29 08:59:25.06554+00');
INSERT INTO public.mikro_orm_migrations VALUES (6, 'Migration20261122000001_sessions', '2026-11-29 08:59:25.086336+00');
INSERT INTO public.mikro_orm_migrations VALUES (7, 'Migration20261122000002_sessions_begun_before', '2026-11-29 08:59:25.12733+00');
INSERT INTO public.mikro_orm_migrations VALUES (8, 'Migration20261122000003_rotations_in_place', '2026-11-29 08:59:25.141018+00');
INSERT INTO public.mikro_orm_migrations VALUES (9, 'Migration20261122000004_proof_of_retry', '2026-11-29 08:59:25.165434+00');
INSERT INTO public.mikro_orm_migrations VALUES (10, 'Migration20261122000005_audit_order', '2026-11-29 08:59:25.181234+00');
INSERT INTO public.mikro_orm_migrations VALUES (11, 'Migration20261123000001_password_links', '2026-11-29 08:59:25.200334+00');
INSERT INTO public.mikro_orm_migrations VALUES (12, 'Migration20261123000002_known_devices', '2026-11-29 08:59:25.218314+00');
INSERT INTO public.mikro_orm_migrations VALUES (13, 'Migration20261124000001_sweep_by_key', '2026-11-29 08:59:25.238514+00');
INSERT INTO public.mikro_orm_migrations VALUES (14, 'Migration20261125000001_outbox', '2026-11-29 08:59:25.252747+00');
INSERT INTO public.mikro_orm_migrations VALUES (15, 'Migration20261125000002_audit_lookups', '2026-11-29 08:59:25.282148+00');
INSERT INTO public.mikro_orm_migrations VALUES (16, 'Migration20261125000003_listings', '2026-11-29 08:59:25.300863+00');
INSERT INTO public.mikro_orm_migrations VALUES (17, 'Migration20261126000002_requested_links', '2026-11-29 08:59:25.318898+00');
INSERT INTO public.mikro_orm_migrations VALUES (18, 'Migration20261126000003_key_expiry', '2026-11-29 08:59:25.339556+00');
INSERT INTO public.mikro_orm_migrations VALUES (19, 'Migration20261127000001_second_factors', '2026-11-29 08:59:25.354616+00');
INSERT INTO public.mikro_orm_migrations VALUES (20, 'Migration20261127000002_email_changes', '2026-11-29 08:59:25.389984+00');
INSERT INTO public.mikro_orm_migrations VALUES (21, 'Migration20261128000001_gate_codes', '2026-11-29 08:59:25.4181+00');
INSERT INTO public.mikro_orm_migrations VALUES (22, 'Migration20261128000002_users_without_password', '2026-11-29 08:59:25.437824+00');
INSERT INTO public.mikro_orm_migrations VALUES (23, 'Migration20261128000003_webhook_attempts', '2026-11-29 08:59:25.459479+00');


--
-- Data for Name: outbox_cursors; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.outbox_cursors VALUES ('01a22688-3956-7575-93c4-5feec75d07b3', 'webhook', '2026-11-29 08:59:51.529459+00', '01a22688-3956-7d16-9fe5-37a1dd165103', '2026-11-29 08:59:51.528683+00', '00000000-0000-0000-0000-000000000000', NULL, NULL, 0, NULL, '2026-11-29 08:59:52.14+00', 'operator', NULL, NULL, NULL, 0);
INSERT INTO public.outbox_cursors VALUES ('6d61696c-0000-4000-8000-000000000001', 'mail', '2026-11-29 09:00:02.7022+00', '01a22688-6508-736f-b362-40dab99de4eb', '2026-11-29 08:59:52.711532+00', '00000000-0000-0000-0000-000000000000', NULL, '2026-11-29 09:00:02.714914+00', 0, NULL, NULL, NULL, '2026-11-29 09:00:02.708+00', 'deferred', 451, 0);
INSERT INTO public.outbox_cursors VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 'webhook', '2026-11-29 09:00:02.7022+00', '01a22688-6508-736f-b362-40dab99de4eb', '2026-11-29 08:59:53.537491+00', '00000000-0000-0000-0000-000000000000', NULL, '2026-11-29 09:00:03.576532+00', 0, NULL, NULL, NULL, '2026-11-29 09:00:03.575+00', 'delivered', 204, 62);


--
-- Data for Name: outbox_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-3f22-71f3-80bc-d3f17939f67e', '2026-11-29 08:59:52.99662+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-3f58-76b2-9ca4-408b5c58c892', '2026-11-29 08:59:53.049997+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-3fc7-7efb-b941-ee5673cce5b4', '2026-11-29 08:59:53.160748+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-407e-78b3-b0c0-5846dc4ed5bf', '2026-11-29 08:59:53.345914+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-40b6-7aa2-ba14-e8711135150a', '2026-11-29 08:59:53.399377+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-414f-7105-a044-3bdd61dc8f74', '2026-11-29 08:59:53.554107+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-40c4-778e-b1db-5130272023b3', '2026-11-29 08:59:53.414697+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-414f-7105-a044-3bdd61dc8f74', '2026-11-29 08:59:53.554107+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-40c4-778e-8881-d158e51ed8a1', '2026-11-29 08:59:54.422766+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4573-7c78-a440-05972cb0e44e', '2026-11-29 08:59:54.61604+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-45eb-7115-9bfe-e2c482a52e10', '2026-11-29 08:59:54.732113+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-460b-7878-8cbb-542bb50e058c', '2026-11-29 08:59:54.764234+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4624-7d42-80ae-bbbcfe696e8e', '2026-11-29 08:59:54.794428+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-464c-759b-8078-9b1895daa31f', '2026-11-29 08:59:54.829591+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-464c-724c-a98c-9ad36a245fd9', '2026-11-29 08:59:54.829638+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4680-75c5-a183-4fd78bf1ccdb', '2026-11-29 08:59:54.882328+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4715-7b12-bcb4-ca28b5735da7', '2026-11-29 08:59:55.032277+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4740-77c8-91c0-765b8f9395cd', '2026-11-29 08:59:55.073437+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4747-7a4b-9f75-cceeee2d3424', '2026-11-29 08:59:55.081173+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-45eb-7115-9bfe-e2c482a52e10', '2026-11-29 08:59:54.732113+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-460b-7878-8cbb-542bb50e058c', '2026-11-29 08:59:54.764234+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4624-7d42-80ae-bbbcfe696e8e', '2026-11-29 08:59:54.794428+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-464c-759b-8078-9b1895daa31f', '2026-11-29 08:59:54.829591+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-464c-724c-a98c-9ad36a245fd9', '2026-11-29 08:59:54.829638+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4680-75c5-a183-4fd78bf1ccdb', '2026-11-29 08:59:54.882328+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4740-77c8-91c0-765b8f9395cd', '2026-11-29 08:59:55.073437+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4715-7b12-bcb4-ca28b5735da7', '2026-11-29 08:59:55.032277+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4747-7a4b-9f75-cceeee2d3424', '2026-11-29 08:59:55.081173+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4624-7d42-8ee8-54d026fdeeee', '2026-11-29 08:59:55.496306+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-464c-724c-8027-75c7b41fded1', '2026-11-29 08:59:55.522176+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4715-7b12-8054-f94bc93d8921', '2026-11-29 08:59:55.537416+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4962-74cf-80d8-030f8522eb93', '2026-11-29 08:59:55.619571+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4969-7f33-b22a-ca82b1d1f5cb', '2026-11-29 08:59:55.626407+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4962-74cf-80d8-030f8522eb93', '2026-11-29 08:59:55.619571+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4969-7f33-b22a-ca82b1d1f5cb', '2026-11-29 08:59:55.626407+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4ee8-74ac-b456-f2c1068274fc', '2026-11-29 08:59:57.035877+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-4ee8-74ac-b456-f2c1068274fc', '2026-11-29 08:59:57.035877+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-4ee8-74ac-82c1-e82bd0ebfe62', '2026-11-29 08:59:57.601857+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-515f-7175-afb2-5b118f1e81ca', '2026-11-29 08:59:57.663974+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5177-7708-b319-aa18e75c4624', '2026-11-29 08:59:57.688042+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-518f-7397-877e-010994c73dfa', '2026-11-29 08:59:57.712114+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-531c-7bac-b529-9974f86bfbf0', '2026-11-29 08:59:58.133028+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-515f-7175-afb2-5b118f1e81ca', '2026-11-29 08:59:57.663974+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-5177-7708-b319-aa18e75c4624', '2026-11-29 08:59:57.688042+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-518f-7397-877e-010994c73dfa', '2026-11-29 08:59:57.712114+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-54d6-74e4-b431-1b3c29fda514', '2026-11-29 08:59:58.571775+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5681-7667-85f2-e1fbef101671', '2026-11-29 08:59:58.999483+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5681-7204-b8de-49d2c09fcd2c', '2026-11-29 08:59:59.002282+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-582e-78bd-9c3b-19848a1993b0', '2026-11-29 08:59:59.427004+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-582e-78bd-9c3b-19848a1993b0', '2026-11-29 08:59:59.427004+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-582e-78bd-8d37-90cc9a888f5d', '2026-11-29 08:59:59.63884+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-582e-78bd-8d03-a8e70236342f', '2026-11-29 08:59:59.63918+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-59e8-78be-93f5-090147270974', '2026-11-29 08:59:59.866686+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5b9a-733f-a3b1-90ae13373ef3', '2026-11-29 09:00:00.28823+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5b9a-713e-ac0d-9fc4c8094265', '2026-11-29 09:00:00.28853+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5b9a-7b9a-88f2-3736b96d32df', '2026-11-29 09:00:00.288541+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5bce-70c7-83f2-ce64cfb8ca0a', '2026-11-29 09:00:00.335236+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5be5-7d78-8882-a367b85d0cd7', '2026-11-29 09:00:00.357943+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5bfe-7d28-a302-ba9d7b736cf3', '2026-11-29 09:00:00.383539+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5c18-76b0-9cbb-286df30d6816', '2026-11-29 09:00:00.409672+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5c2f-7991-ae33-b90e2c50aa1a', '2026-11-29 09:00:00.432719+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5c46-77fd-a73a-25a835c4d1ce', '2026-11-29 09:00:00.454873+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5c5d-771c-8702-f71ed3d15db0', '2026-11-29 09:00:00.478742+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-5bce-70c7-83f2-ce64cfb8ca0a', '2026-11-29 09:00:00.335236+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-5be5-7d78-8882-a367b85d0cd7', '2026-11-29 09:00:00.357943+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-59e8-78be-93f5-090147270974', '2026-11-29 08:59:59.866686+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-59e8-78be-86a1-f15323e49ea4', '2026-11-29 09:00:00.668629+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5df6-72b3-bfce-f6e5093a8e48', '2026-11-29 09:00:00.891154+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5dfd-718b-9950-d6dd728ffc56', '2026-11-29 09:00:00.909351+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5fa7-78b3-8eec-63c7c94c366b', '2026-11-29 09:00:01.336504+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-5fd0-7eaf-a4d9-874f3a33548e', '2026-11-29 09:00:01.361016+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-5fd0-7eaf-a4d9-874f3a33548e', '2026-11-29 09:00:01.361016+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-610f-7ffb-9271-15be59019d32', '2026-11-29 09:00:01.681601+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-64e6-7c45-a721-885e2a8af981', '2026-11-29 09:00:02.663335+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('6d61696c-0000-4000-8000-000000000001', '01a22688-64b8-7165-abc3-43dd42991201', '2026-11-29 09:00:02.617047+00', '2026-11-29 09:00:07.88+00', 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-64b8-7165-abc3-43dd42991201', '2026-11-29 09:00:02.617047+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-64cf-7c35-8249-49908ebe0466', '2026-11-29 09:00:02.64009+00', '2026-11-29 09:00:09.495+00', 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-64e6-7c45-a721-885e2a8af981', '2026-11-29 09:00:02.663335+00', NULL, 1);
INSERT INTO public.outbox_events VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', '01a22688-6508-736f-b362-40dab99de4eb', '2026-11-29 09:00:02.7022+00', NULL, 1);


--
-- Data for Name: password_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.password_links VALUES ('01a22688-5df6-70dc-a251-157c49ede8bb', '\x194ba2e71f3f762ff78b647d5cd60e47311b1c8b79f8fdf65ec2ecc414a5adfd', 0, 'invitation', '2027-11-29 09:00:00.893+00', NULL);
INSERT INTO public.password_links VALUES ('01a22687-f080-79d7-bd70-123026e9e802', '\xe6f7382904967bfb1eb72d4cad54aec4357647daf0e56b49714b83db4d40f281', 0, 'reset', '2027-11-29 09:00:01.319+00', NULL);


--
-- Data for Name: rate_limits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rate_limits VALUES ('api_key:ak_t08LXmJPMuzlDUUn2pqO', 1, 1795942845483);
INSERT INTO public.rate_limits VALUES ('login:127.0.0.1', 28, 1795943678850);


--
-- Data for Name: recovery_codes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\xb50c7fee2e12cdb207dfac45ef98118036defcd8046a9e9d7fc9d8e053ca3957');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\xc6b5ca894e459733a42c64236b236fc5afc33c1b176356b357cd7b6015009c89');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\xd470c13cc325fe8d5722aab9c402e201c93ea0446f20059b10f12994828aed96');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\xa6863a6106bf8118e3f57c2ed2c80370d49d1d5ccca076d6ea06c795db91003c');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\x27b681f6a43dc496dd0fab1742bc5bde3fa0ba8b494c8d3c2c5f34a05c1eb667');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\xb3b68291ac902bc7c16ddc1c8b50e596b93045441c685c819453b075a63c7b60');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\x852f1064077cf3480dbbf91376db32d6afff8c92eb64ed8d6f291d6ed129d22d');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\x06a5ab3ce1458bcdc23ccfa544147d28ae924f5ef4bb4db1b7dae82f1c31b4cf');
INSERT INTO public.recovery_codes VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', '\x0d5fa04eddaecc3d9f2701064c7d104096a7458c0483b9c102093a4b3079badb');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\xef19e921adbc8c5b557cc06ada6bc8f108ac4cc08bad11859d2a7eb5afd87255');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\x0006cea3bf8ffefd24c57211e430e71cb4a8cc8fafc6231e994c3ff884b34344');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\x903619ca0b873ca7645345faa9a330d61902c575834c9f09aaacc370840094fd');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\xc498e5e9414be0ba984778d0d8489c44b218cad5fa5000efbb0d87388ade27f6');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\x3da6cd30c71ef3da53319089272bd2076c056e1c109e61fe2336ed4adb598d2c');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\x426f2be5d1bfc23fccf5d1a575f94c6fe13bb3d68d6ea9b267d4649ea46f5aae');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\x55f088ad6bba3958ffc6a027e151c3c68de1e9548a3fd045d2194438a7652fd7');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\xe2aba3104b341529c6df4aa8de2503cf8185defc3461c78fbef6544ffffbbc13');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\x493d2462e9d07d6769b09a83ceba576eae4861182def01564defa612ff0a7dcd');
INSERT INTO public.recovery_codes VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', '\x5cb00d01ed098eb5c25de60744e07df6027d5937b81a70349c693b324201fd9e');


--
-- Data for Name: refresh_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.refresh_tokens VALUES ('01a22688-080d-790a-ac27-cde929b6f839', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '01a22688-080d-732a-bb97-e6983782e1b1', false, NULL, NULL, 'node', '127.0.0.1', '2026-11-29 08:59:39+00', '2026-11-29 08:59:38.893+00', '2026-11-29 08:59:38.893+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-080d-7485-b2ec-5e863b601d2e', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-3f22-780f-b129-f85cd3d22c7c', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '01a22688-3f22-714e-b3ef-4e33bff479ba', false, NULL, NULL, 'a browser of the fixture', '127.0.0.1', '2026-12-13 08:59:52+00', '2026-11-29 08:59:52.994+00', '2026-11-29 08:59:52.994+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-3f22-771f-98ae-6883fec1e6aa', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-3f58-794f-87c4-5237bdf9777d', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '01a22688-3f58-7f81-aea6-9de184ec21b6', true, 'rotated', '2026-11-29 08:59:53.059+00', 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.048+00', '2026-11-29 08:59:53.048+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-3f58-7517-b46b-2cf9b5e71836', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-3f63-77d5-988b-882e5c2630a2', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '01a22688-3f58-7f81-aea6-9de184ec21b6', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.059+00', '2026-11-29 08:59:53.048+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-3f58-7517-b46b-2cf9b5e71836', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-3fc7-7903-a781-e61b9303cfca', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '01a22688-3fc7-7536-adc3-6971abd12de2', true, 'rotated', '2026-11-29 08:59:53.179+00', 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.159+00', '2026-11-29 08:59:53.159+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-3fc7-7bd7-9d92-2ec2b8415655', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-3fdb-784c-9d38-1692ba0df91c', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '01a22688-3fc7-7536-adc3-6971abd12de2', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.179+00', '2026-11-29 08:59:53.159+00', '01a22688-3fc7-7903-a781-e61b9303cfca', '\x72cd6e8422c407fb6d098690f1130b7ded7ec2f7f5e1d30bd9d521f015363793', NULL, NULL, NULL, NULL, NULL, '01a22688-3fc7-7bd7-9d92-2ec2b8415655', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-407e-79d4-a779-5b37696bb111', '01a22687-dc0b-750f-9d20-52029d02f9e1', '01a22688-407e-7985-a632-b4a4e77e5d3b', true, 'logout', '2026-11-29 08:59:53.351+00', 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.342+00', '2026-11-29 08:59:53.342+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-407e-7ca3-b219-1481186bc3db', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-40b6-7c8f-9a74-81ea33a75c73', '01a22687-dc0b-750f-9d20-52029d02f9e1', '01a22688-40b6-7294-8486-2db6a1a17b40', true, 'rotated', '2026-11-29 08:59:53.403+00', 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.398+00', '2026-11-29 08:59:53.398+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-40b6-79dc-84c5-9e65a04b92d2', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-40bb-768e-bb81-25d023d93a17', '01a22687-dc0b-750f-9d20-52029d02f9e1', '01a22688-40b6-7294-8486-2db6a1a17b40', true, 'token_theft', '2026-11-29 08:59:53.412+00', 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.403+00', '2026-11-29 08:59:53.398+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-40b6-79dc-84c5-9e65a04b92d2', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-414f-76cf-9362-bbd78ccde361', '01a22687-dc0b-750f-9d20-52029d02f9e1', '01a22688-414f-73f5-a0bf-6feeff5aecc3', true, 'session_revoked', '2026-11-29 08:59:54.611+00', 'node', '127.0.0.1', '2026-12-13 08:59:53+00', '2026-11-29 08:59:53.551+00', '2026-11-29 08:59:53.551+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-414f-73b5-b105-1fdad5c194d9', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-45eb-7c4f-a22e-f2a331ca38f5', '01a22687-dc0b-750f-9d20-52029d02f9e1', '01a22688-45eb-7370-b1c1-250375b27189', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:54+00', '2026-11-29 08:59:54.731+00', '2026-11-29 08:59:54.731+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-45eb-7c63-8d02-437ba5a4b346', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-460b-7c09-a45e-ed2e477ac4cc', '01a22687-fd29-76ad-88e0-58f0c3aed385', '01a22688-460b-719b-a184-64a646275c12', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:54+00', '2026-11-29 08:59:54.763+00', '2026-11-29 08:59:54.763+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-460b-731e-8f67-93a09d19e3e2', '{pwd,otp,mfa}', '2026-11-29 08:59:54.788+00');
INSERT INTO public.refresh_tokens VALUES ('01a22688-464c-77ea-8162-eaa9ba6463b6', '01a22687-fd29-76ad-88e0-58f0c3aed385', '01a22688-464c-75a6-b990-cc81bc9b20f8', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:54+00', '2026-11-29 08:59:54.828+00', '2026-11-29 08:59:54.828+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-464c-701f-b167-4c360ba41f76', '{pwd,otp,mfa}', NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-4680-70b5-bee6-9ba5a4fd4130', '01a22688-0207-787d-8fe1-9cfe5574d29c', '01a22688-4680-78e7-822b-cd709056ea85', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:54+00', '2026-11-29 08:59:54.88+00', '2026-11-29 08:59:54.88+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-4680-78af-87f8-4746f6583e1e', '{pwd,hwk,user,mfa}', '2026-11-29 08:59:55.029+00');
INSERT INTO public.refresh_tokens VALUES ('01a22688-4740-7d87-a16e-8cba051e5920', '01a22688-050e-7b19-ad4f-f1f39e043a69', '01a22688-4740-7af8-8229-f6e380110d04', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:55+00', '2026-11-29 08:59:55.072+00', '2026-11-29 08:59:55.072+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-4740-7676-8958-7381116f4ab8', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-4962-781a-b23e-3ca53848bf6f', '01a22688-07b4-7f29-b537-9c0e707a7965', '01a22688-4962-777b-8cd3-fc79ad7f4cb9', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 08:59:55+00', '2026-11-29 08:59:55.618+00', '2026-11-29 08:59:55.618+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-4962-73fd-b887-b48b3a2c1800', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-515f-793a-8484-bd9056e41b45', '01a22687-e7c8-7a5f-a896-d60eb9b8a45b', '01a22688-515f-7eec-8fbf-2ec8575a4c08', true, 'user_deactivated', '2026-11-29 08:59:58.108+00', 'node', '127.0.0.1', '2026-12-13 08:59:57+00', '2026-11-29 08:59:57.663+00', '2026-11-29 08:59:57.663+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-515f-771c-beef-2d595ae27adf', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-5177-72fb-ade1-9533071d2706', '01a22687-f675-767f-a013-6383646f3817', '01a22688-5177-7489-8203-99d3632be1b0', true, 'user_deleted', '2026-11-29 08:59:58.55+00', 'node', '127.0.0.1', '2026-12-13 08:59:57+00', '2026-11-29 08:59:57.687+00', '2026-11-29 08:59:57.687+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-5177-7ecd-910b-0a5d9408b2ce', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-518f-7c11-8f57-406005d73463', '01a22687-fa36-79e3-9e15-38cfd3f45dbb', '01a22688-518f-761f-8b46-7a36edac097e', true, 'user_deleted', '2026-11-29 08:59:58.977+00', 'erased-B52Vl3UiJLW3opUYL1rR', 'erased-B52Vl3UiJLW3opUYL1rR', '2026-12-13 08:59:57+00', '2026-11-29 08:59:57.711+00', '2026-11-29 08:59:57.711+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-518f-7215-bab1-7212238d50ee', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-5bce-7ddc-8bfe-c86ab4bdeb15', '01a22688-5b9a-7ef4-95aa-006a11382f15', '01a22688-5bce-7a89-b40a-ef3323479fad', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 09:00:00+00', '2026-11-29 09:00:00.334+00', '2026-11-29 09:00:00.334+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-5bce-7c08-8508-ea24ed38fefc', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-5be5-7e4a-a676-e7c31b990211', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '01a22688-5be5-70a0-804f-8b063c1b5784', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 09:00:00+00', '2026-11-29 09:00:00.357+00', '2026-11-29 09:00:00.357+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-5be5-76a6-9302-188513def4a1', NULL, NULL);
INSERT INTO public.refresh_tokens VALUES ('01a22688-64e6-73a1-9bb8-b4dd44de9718', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '01a22688-64e6-71ed-8d0f-8aed90c2a2b3', false, NULL, NULL, 'node', '127.0.0.1', '2026-12-13 09:00:02+00', '2026-11-29 09:00:02.662+00', '2026-11-29 09:00:02.662+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a22688-64e6-704a-8405-e909999db1f7', NULL, NULL);


--
-- Data for Name: requested_links; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.requested_links VALUES ('01a22687-ea9d-7006-935f-d3b2d1211fa9', '01a22688-5fd0-7eaf-a4d9-874f3a33548e', '\xce24defe17464a6f045f3b05995b2e3dd2365639266e6433151533559f501170', 0, '2026-11-29 09:00:01.681378+00', '2027-11-29 09:00:01.679+00', NULL, '{"2026-11-29 09:00:01.679+00"}', false);
INSERT INTO public.requested_links VALUES ('01a22687-ed3d-718e-919f-38ae608188b5', '01a22688-64b8-7165-abc3-43dd42991201', '\xda29a41a22f91c297760a80c17a12b3abc587f73bc0b2dc116e10cf258fcaffc', 0, '2026-11-29 09:00:02.702156+00', '2027-11-29 09:00:02.696+00', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6IjAxYTIyNjg3LWVkM2QtNzE4ZS05MTlmLTM4YWU2MDgxODhiNSJ9..vNffxQc9BQfdyaWY.0vxOugvqBIBba_1TST_YcY8cBYP-fASF2KONnHhwHvqq9NGL6vVWpjdwbdq_AcYq3Mglbg.-jL4v0UGr9nXyuVSs0k7pQ', '{"2026-11-29 09:00:02.696+00"}', true);


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sessions VALUES ('01a22688-080d-732a-bb97-e6983782e1b1', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '2026-11-29 08:59:38.893+00');
INSERT INTO public.sessions VALUES ('01a22688-3f22-714e-b3ef-4e33bff479ba', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '2026-11-29 08:59:52.994+00');
INSERT INTO public.sessions VALUES ('01a22688-3f58-7f81-aea6-9de184ec21b6', '01a22687-e1f9-7f93-a8fb-b8da7a68ac96', '2026-11-29 08:59:53.048+00');
INSERT INTO public.sessions VALUES ('01a22688-3fc7-7536-adc3-6971abd12de2', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '2026-11-29 08:59:53.159+00');
INSERT INTO public.sessions VALUES ('01a22688-407e-7985-a632-b4a4e77e5d3b', '01a22687-dc0b-750f-9d20-52029d02f9e1', '2026-11-29 08:59:53.342+00');
INSERT INTO public.sessions VALUES ('01a22688-40b6-7294-8486-2db6a1a17b40', '01a22687-dc0b-750f-9d20-52029d02f9e1', '2026-11-29 08:59:53.398+00');
INSERT INTO public.sessions VALUES ('01a22688-414f-73f5-a0bf-6feeff5aecc3', '01a22687-dc0b-750f-9d20-52029d02f9e1', '2026-11-29 08:59:53.551+00');
INSERT INTO public.sessions VALUES ('01a22688-45eb-7370-b1c1-250375b27189', '01a22687-dc0b-750f-9d20-52029d02f9e1', '2026-11-29 08:59:54.731+00');
INSERT INTO public.sessions VALUES ('01a22688-460b-719b-a184-64a646275c12', '01a22687-fd29-76ad-88e0-58f0c3aed385', '2026-11-29 08:59:54.763+00');
INSERT INTO public.sessions VALUES ('01a22688-464c-75a6-b990-cc81bc9b20f8', '01a22687-fd29-76ad-88e0-58f0c3aed385', '2026-11-29 08:59:54.828+00');
INSERT INTO public.sessions VALUES ('01a22688-4680-78e7-822b-cd709056ea85', '01a22688-0207-787d-8fe1-9cfe5574d29c', '2026-11-29 08:59:54.88+00');
INSERT INTO public.sessions VALUES ('01a22688-4740-7af8-8229-f6e380110d04', '01a22688-050e-7b19-ad4f-f1f39e043a69', '2026-11-29 08:59:55.072+00');
INSERT INTO public.sessions VALUES ('01a22688-4962-777b-8cd3-fc79ad7f4cb9', '01a22688-07b4-7f29-b537-9c0e707a7965', '2026-11-29 08:59:55.618+00');
INSERT INTO public.sessions VALUES ('01a22688-515f-7eec-8fbf-2ec8575a4c08', '01a22687-e7c8-7a5f-a896-d60eb9b8a45b', '2026-11-29 08:59:57.663+00');
INSERT INTO public.sessions VALUES ('01a22688-5177-7489-8203-99d3632be1b0', '01a22687-f675-767f-a013-6383646f3817', '2026-11-29 08:59:57.687+00');
INSERT INTO public.sessions VALUES ('01a22688-518f-761f-8b46-7a36edac097e', '01a22687-fa36-79e3-9e15-38cfd3f45dbb', '2026-11-29 08:59:57.711+00');
INSERT INTO public.sessions VALUES ('01a22688-5bce-7a89-b40a-ef3323479fad', '01a22688-5b9a-7ef4-95aa-006a11382f15', '2026-11-29 09:00:00.334+00');
INSERT INTO public.sessions VALUES ('01a22688-5be5-70a0-804f-8b063c1b5784', '01a22687-e4ca-7a4a-9de0-6db0c641a250', '2026-11-29 09:00:00.357+00');
INSERT INTO public.sessions VALUES ('01a22688-64e6-71ed-8d0f-8aed90c2a2b3', '01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', '2026-11-29 09:00:02.662+00');


--
-- Data for Name: signature_nonces; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signature_nonces VALUES ('ak_t08LXmJPMuzlDUUn2pqO', 'cQ9FKI44bzf2NUEv9anl5e', '2026-11-29 09:05:45+00');


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('01a22687-ea9d-7006-935f-d3b2d1211fa9', 'forgetful@example.com', '$argon2id$v=19$m=19456,p=1,t=2$2z/NeAjHcyo8bRc16YYAoQ$8vkJk6Z/nEfmo5oH1PHWw+GeC9X4j1O8iNXjUVLgmdw', 0, 'viewer', true, 0, NULL, NULL, '2026-11-29 08:59:31.357+00', false, false);
INSERT INTO public.users VALUES ('01a22688-0207-787d-8fe1-9cfe5574d29c', 'keyed@example.com', '$argon2id$v=19$m=19456,p=1,t=2$n4kwaS14pM2GZdwTI8UMtw$VabWD7hef3T8pS9SJn49JsUgmHEfaBEFHZVRRjGNWiM', 0, 'viewer', true, 0, NULL, '2026-11-29 08:59:54.88+00', '2026-11-29 08:59:37.351+00', false, true);
INSERT INTO public.users VALUES ('01a22687-ed3d-718e-919f-38ae608188b5', 'waiting@example.com', '$argon2id$v=19$m=19456,p=1,t=2$2PO7kiao+3VU3d6BGUe7UA$0vVMssQeByEbPODiPuCVueDyq4r5LBHu3VnTBQhjQwk', 0, 'viewer', true, 0, NULL, NULL, '2026-11-29 08:59:32.029+00', false, false);
INSERT INTO public.users VALUES ('01a22687-f080-79d7-bd70-123026e9e802', 'stranded@example.com', '$argon2id$v=19$m=19456,p=1,t=2$wlv5Jb0+avkoChkh6Lxbeg$0k7Lp3sfXTRNuBMv/KwNEL4s68vShAAgHtJVz2glqMk', 0, 'viewer', true, 0, NULL, NULL, '2026-11-29 08:59:32.864+00', false, false);
INSERT INTO public.users VALUES ('01a22688-050e-7b19-ad4f-f1f39e043a69', 'moving@example.com', '$argon2id$v=19$m=19456,p=1,t=2$KH8VN2w5yCYCIXzW6oA2GA$R0CHrlzzHwit3rvdnpmCck9A9UCv4Fs7/z2jqQQ2kWA', 0, 'viewer', true, 0, NULL, '2026-11-29 08:59:55.072+00', '2026-11-29 08:59:38.126+00', false, false);
INSERT INTO public.users VALUES ('01a22688-5df6-70dc-a251-157c49ede8bb', 'invited@example.com', NULL, 0, 'viewer', true, 0, NULL, NULL, '2026-11-29 09:00:00.886+00', false, false);
INSERT INTO public.users VALUES ('01a22688-07b4-7f29-b537-9c0e707a7965', 'movedto@example.com', '$argon2id$v=19$m=19456,p=1,t=2$g0Fc4g683awt5CDj80ZWEw$n4GIlhohcIhH1zNYnJmQXxmchHHvzOOzOdsP7fAeAsk', 0, 'viewer', true, 0, NULL, '2026-11-29 08:59:55.618+00', '2026-11-29 08:59:38.804+00', false, false);
INSERT INTO public.users VALUES ('01a22687-e1f9-7f93-a8fb-b8da7a68ac96', 'viewer@example.com', '$argon2id$v=19$m=19456,p=1,t=2$JWMqICzn/T0oYcxeEV19iA$aK1Z9de5dfrWahyVQ/k7Bye6sdXg5jpjT63VbzmYMjE', 0, 'viewer', true, 1, NULL, '2026-11-29 08:59:53.048+00', '2026-11-29 08:59:29.145+00', false, false);
INSERT INTO public.users VALUES ('01a22687-ded6-7eb8-9a9b-5d75f1f33fb9', 'analyst@example.com', '$argon2id$v=19$m=19456,p=1,t=2$sklaUd5pTd7B/cZEhm7B+Q$tHkG50SJshntDazqxzSXm8QzkbL0Ls+0GuHFw5hewnQ', 0, 'analyst', true, 0, NULL, '2026-11-29 09:00:02.662+00', '2026-11-29 08:59:28.342+00', false, false);
INSERT INTO public.users VALUES ('01a22688-7d46-770c-bbb9-ec260d4f4f00', 'late@example.com', '$argon2id$v=19$m=19456,p=1,t=2$7OFc0jLMrOrQvyAkM5KJog$583oViDDcDP8Do2XnBJou1wI4VqJHbc7CeKXpKBjgzk', 0, 'viewer', true, 0, NULL, NULL, '2026-11-29 09:00:08.902+00', false, false);
INSERT INTO public.users VALUES ('01a22687-e7c8-7a5f-a896-d60eb9b8a45b', 'inactive@example.com', '$argon2id$v=19$m=19456,p=1,t=2$dVcaHpji2F9t9GQFQy+DKw$YZqMO+eqWBL/aPbQVmwodAiLLTBPA3QpiYR+d11s6PI', 0, 'viewer', false, 0, NULL, '2026-11-29 08:59:57.663+00', '2026-11-29 08:59:30.632+00', false, false);
INSERT INTO public.users VALUES ('01a22687-f35c-7b12-b17d-48d74482e1a8', 'renamed@example.com', '$argon2id$v=19$m=19456,p=1,t=2$aeD4r5syF9p/ofP5QGEEkA$v/8+5AE3nmKYTEqDReBtBz9erCwjwEZ595ZRq33OAZg', 0, 'analyst', true, 0, NULL, NULL, '2026-11-29 08:59:33.596+00', false, false);
INSERT INTO public.users VALUES ('01a22688-5b9a-7470-8508-04f2d200c8ba', 'imported@example.com', '$2y$04$7hojdEBqzTtqRFl1sI2clOLyguJ.rgEI0BaDcOIfFUECiGXFh0xOu', 0, 'viewer', true, 0, NULL, NULL, '2026-11-29 09:00:00.282+00', true, false);
INSERT INTO public.users VALUES ('01a22688-5b9a-71a7-85c3-f6533c143fcc', 'nothing@example.com', NULL, 0, 'viewer', true, 0, NULL, NULL, '2026-11-29 09:00:00.282+00', false, false);
INSERT INTO public.users VALUES ('01a22687-dc0b-750f-9d20-52029d02f9e1', 'admin@example.com', '$argon2id$v=19$m=19456,p=1,t=2$1XakdX4Izhsl0hnZDaQ+Cg$fQoT3M4iK8yoiSVlNgT2cvy1W54IteimoP0QNm2k1Xs', 0, 'admin', true, 0, NULL, '2026-11-29 08:59:54.731+00', '2026-11-29 08:59:27.627+00', false, false);
INSERT INTO public.users VALUES ('01a22688-5b9a-7ef4-95aa-006a11382f15', 'renewed@example.com', '$argon2id$v=19$m=19456,p=1,t=2$wgNy9jR1yTuRf2pt+eTujA$kkEMqZUQSs5gNVyYZIv4OZuhQrjYbF0WmrGf/QwoC5A', 0, 'analyst', true, 0, NULL, '2026-11-29 09:00:00.334+00', '2026-11-29 09:00:00.282+00', true, false);
INSERT INTO public.users VALUES ('01a22687-fd29-76ad-88e0-58f0c3aed385', 'proved@example.com', '$argon2id$v=19$m=19456,p=1,t=2$RDBbAaLgxDGEL4z2lb9mcw$fVDj1aJF4s7aJ1Ivu9lNbST/ZGX1i7E7dj5bNrpoTps', 0, 'analyst', true, 0, NULL, '2026-11-29 08:59:54.828+00', '2026-11-29 08:59:36.105+00', false, true);
INSERT INTO public.users VALUES ('01a22687-e4ca-7a4a-9de0-6db0c641a250', 'locked@example.com', '$argon2id$v=19$m=19456,p=1,t=2$oB3aLMdXwjjd0aEszD3K0A$QZkYBtXcXvK20IqU2Jl/E1e7iCxWoMmjiqbGjiL0I6Y', 0, 'viewer', true, 5, '2026-11-29 09:15:00.477+00', '2026-11-29 09:00:00.357+00', '2026-11-29 08:59:29.866+00', false, false);


--
-- Data for Name: webhook_attempts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 13, 13, '01a22688-414f-7105-a044-3bdd61dc8f74', 'login_success', 1, '2026-11-29 08:59:54.381+00', 'delivered', 204, 42);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 14, 14, '01a22688-40c4-778e-8881-d158e51ed8a1', 'notice_sent', 1, '2026-11-29 08:59:55.415+00', 'delivered', 204, 2);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 15, 15, '01a22688-4573-7c78-a440-05972cb0e44e', 'session_revoked', 1, '2026-11-29 08:59:55.416+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 16, 16, '01a22688-45eb-7115-9bfe-e2c482a52e10', 'login_success', 1, '2026-11-29 08:59:55.417+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 17, 17, '01a22688-460b-7878-8cbb-542bb50e058c', 'login_success', 1, '2026-11-29 08:59:55.421+00', 'delivered', 204, 4);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 18, 18, '01a22688-4624-7d42-80ae-bbbcfe696e8e', 'factor_added', 1, '2026-11-29 08:59:55.422+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 19, 19, '01a22688-464c-759b-8078-9b1895daa31f', 'login_success', 1, '2026-11-29 08:59:55.423+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 20, 20, '01a22688-464c-724c-a98c-9ad36a245fd9', 'recovery_code_used', 1, '2026-11-29 08:59:55.424+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 21, 21, '01a22688-4680-75c5-a183-4fd78bf1ccdb', 'login_success', 1, '2026-11-29 08:59:55.424+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 22, 22, '01a22688-4715-7b12-bcb4-ca28b5735da7', 'factor_added', 1, '2026-11-29 08:59:55.425+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 23, 23, '01a22688-4740-77c8-91c0-765b8f9395cd', 'login_success', 1, '2026-11-29 08:59:55.426+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 24, 24, '01a22688-4747-7a4b-9f75-cceeee2d3424', 'email_change_requested', 1, '2026-11-29 08:59:55.427+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 25, 25, '01a22688-4624-7d42-8ee8-54d026fdeeee', 'notice_sent', 1, '2026-11-29 08:59:56.436+00', 'delivered', 204, 2);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 26, 26, '01a22688-464c-724c-8027-75c7b41fded1', 'notice_sent', 1, '2026-11-29 08:59:56.438+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 27, 27, '01a22688-4715-7b12-8054-f94bc93d8921', 'notice_sent', 1, '2026-11-29 08:59:56.439+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 28, 28, '01a22688-4962-74cf-80d8-030f8522eb93', 'login_success', 1, '2026-11-29 08:59:56.44+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 29, 29, '01a22688-4969-7f33-b22a-ca82b1d1f5cb', 'email_change_requested', 1, '2026-11-29 08:59:56.442+00', 'delivered', 204, 2);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 30, 30, '01a22688-4ee8-74ac-b456-f2c1068274fc', 'email_changed', 1, '2026-11-29 08:59:57.458+00', 'delivered', 204, 3);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 31, 31, '01a22688-4ee8-74ac-82c1-e82bd0ebfe62', 'notice_sent', 1, '2026-11-29 08:59:58.47+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 32, 32, '01a22688-515f-7175-afb2-5b118f1e81ca', 'login_success', 1, '2026-11-29 08:59:58.472+00', 'delivered', 204, 2);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 33, 33, '01a22688-5177-7708-b319-aa18e75c4624', 'login_success', 1, '2026-11-29 08:59:58.473+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 34, 34, '01a22688-518f-7397-877e-010994c73dfa', 'login_success', 1, '2026-11-29 08:59:58.474+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 35, 35, '01a22688-531c-7bac-b529-9974f86bfbf0', 'user_deactivated', 1, '2026-11-29 08:59:58.475+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 36, 36, '01a22688-54d6-74e4-b431-1b3c29fda514', 'user_deleted', 1, '2026-11-29 08:59:59.484+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 37, 37, '01a22688-5681-7667-85f2-e1fbef101671', 'user_deleted', 1, '2026-11-29 08:59:59.485+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 38, 38, '01a22688-5681-7204-b8de-49d2c09fcd2c', 'user_erased', 1, '2026-11-29 08:59:59.486+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 39, 39, '01a22688-582e-78bd-9c3b-19848a1993b0', 'user_email_changed', 1, '2026-11-29 08:59:59.486+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 40, 40, '01a22688-582e-78bd-8d37-90cc9a888f5d', 'notice_sent', 1, '2026-11-29 09:00:00.495+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 41, 41, '01a22688-582e-78bd-8d03-a8e70236342f', 'notice_sent', 1, '2026-11-29 09:00:00.496+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 42, 42, '01a22688-59e8-78be-93f5-090147270974', 'user_role_changed', 1, '2026-11-29 09:00:00.496+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 43, 43, '01a22688-5b9a-733f-a3b1-90ae13373ef3', 'user_created', 1, '2026-11-29 09:00:00.497+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 44, 44, '01a22688-5b9a-713e-ac0d-9fc4c8094265', 'user_created', 1, '2026-11-29 09:00:00.498+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 45, 45, '01a22688-5b9a-7b9a-88f2-3736b96d32df', 'user_created', 1, '2026-11-29 09:00:00.499+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 46, 46, '01a22688-5bce-70c7-83f2-ce64cfb8ca0a', 'login_success', 1, '2026-11-29 09:00:00.499+00', 'delivered', 204, 0);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 47, 47, '01a22688-5be5-7d78-8882-a367b85d0cd7', 'login_success', 1, '2026-11-29 09:00:00.5+00', 'delivered', 204, 0);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 48, 48, '01a22688-5bfe-7d28-a302-ba9d7b736cf3', 'login_failure', 1, '2026-11-29 09:00:00.501+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 49, 49, '01a22688-5c18-76b0-9cbb-286df30d6816', 'login_failure', 1, '2026-11-29 09:00:00.501+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 0, 50, '01a22688-5c2f-7991-ae33-b90e2c50aa1a', 'login_failure', 1, '2026-11-29 09:00:00.502+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 1, 51, '01a22688-5c46-77fd-a73a-25a835c4d1ce', 'login_failure', 1, '2026-11-29 09:00:00.505+00', 'delivered', 204, 3);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 2, 52, '01a22688-5c5d-771c-8702-f71ed3d15db0', 'login_failure', 1, '2026-11-29 09:00:00.506+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 3, 53, '01a22688-59e8-78be-86a1-f15323e49ea4', 'notice_sent', 1, '2026-11-29 09:00:01.515+00', 'delivered', 204, 2);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 4, 54, '01a22688-5df6-72b3-bfce-f6e5093a8e48', 'user_created', 1, '2026-11-29 09:00:01.516+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 5, 55, '01a22688-5dfd-718b-9950-d6dd728ffc56', 'password_link_issued', 1, '2026-11-29 09:00:01.516+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 6, 56, '01a22688-5fa7-78b3-8eec-63c7c94c366b', 'password_link_issued', 1, '2026-11-29 09:00:01.517+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 7, 57, '01a22688-5fd0-7eaf-a4d9-874f3a33548e', 'password_reset_requested', 1, '2026-11-29 09:00:01.517+00', 'delivered', 204, 1);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 8, 58, '01a22688-610f-7ffb-9271-15be59019d32', 'password_link_issued', 1, '2026-11-29 09:00:02.529+00', 'delivered', 204, 2);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 9, 59, '01a22688-64b8-7165-abc3-43dd42991201', 'password_reset_requested', 1, '2026-11-29 09:00:03.549+00', 'delivered', 204, 10);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 10, 60, '01a22688-64cf-7c35-8249-49908ebe0466', 'login_failure', 1, '2026-11-29 09:00:03.562+00', 'http_error', 500, 12);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 11, 61, '01a22688-64e6-7c45-a721-885e2a8af981', 'login_success', 1, '2026-11-29 09:00:03.573+00', 'delivered', 204, 12);
INSERT INTO public.webhook_attempts VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 12, 62, '01a22688-6508-736f-b362-40dab99de4eb', 'password_link_issued', 1, '2026-11-29 09:00:03.575+00', 'delivered', 204, 1);


--
-- Data for Name: webhooks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.webhooks VALUES ('01a22688-3956-7575-93c4-5feec75d07b3', 'http://localhost:18181/paused', '{login_success}', false, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6IjAxYTIyNjg4LTM5NTYtNzU3NS05M2M0LTVmZWVjNzVkMDdiMyJ9.._8rHKCAokPsu2QBF.3XFxYJ-0qXorpinfRiVTsvgGi4LB0tvVtdgfggmji9xifU1UIJ8tiRoKy6IKpukWu7s.2mBdbLBPN5O8p6OfKcz6Pw', NULL, NULL, '2026-11-29 08:59:51.51+00');
INSERT INTO public.webhooks VALUES ('01a22688-36ce-7f8b-b6c3-ba94ed766de2', 'http://localhost:18181/all', NULL, true, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6IjAxYTIyNjg4LTM2Y2UtN2Y4Yi1iNmMzLWJhOTRlZDc2NmRlMiJ9..0XgqLMrOG_O6_8bv.BwpAuRGd-oQhf8JKgz5x-DeijWvFIWva-sc4g6czi5TRCEoZgANTirCI5GV4urCFkgE.hCAgQCedNgziKCiqrPd8sQ', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiaW9IcEFOR3ExbEpXUFAyWjVFbnVYSiIsImtleV9pZCI6IjAxYTIyNjg4LTM2Y2UtN2Y4Yi1iNmMzLWJhOTRlZDc2NmRlMiJ9..cO8WaGgmJtmlXfzb.8SBuj7RO4PpZ3UOuvQSXisidNTKsFTA4MB5qzGofv38-bMgEDQrt7b6VPAUqqOTC1Uo.zcq1Ngh9dBXiYZKPWyvFKw', '2026-12-29 08:59:52.833+00', '2026-11-29 08:59:50.862+00');


--
-- Name: mikro_orm_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.mikro_orm_migrations_id_seq', 23, true);


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
-- Name: ceremonies ceremonies_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ceremonies
    ADD CONSTRAINT ceremonies_pkey PRIMARY KEY (token_sha256);


--
-- Name: cron_keys cron_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cron_keys
    ADD CONSTRAINT cron_keys_pkey PRIMARY KEY (key_id);


--
-- Name: email_changes email_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_changes
    ADD CONSTRAINT email_changes_pkey PRIMARY KEY (user_id);


--
-- Name: email_undos email_undos_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_undos
    ADD CONSTRAINT email_undos_pkey PRIMARY KEY (id);


--
-- Name: email_undos email_undos_token_sha256_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.email_undos
    ADD CONSTRAINT email_undos_token_sha256_unique UNIQUE (token_sha256);


--
-- Name: factors factors_credential_id_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.factors
    ADD CONSTRAINT factors_credential_id_unique UNIQUE (credential_id);


--
-- Name: factors factors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.factors
    ADD CONSTRAINT factors_pkey PRIMARY KEY (id);


--
-- Name: gate_codes gate_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.gate_codes
    ADD CONSTRAINT gate_codes_pkey PRIMARY KEY (code_sha256);


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
-- Name: recovery_codes recovery_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_sha256);


--
-- Name: refresh_tokens refresh_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (jti);


--
-- Name: requested_links requested_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.requested_links
    ADD CONSTRAINT requested_links_pkey PRIMARY KEY (user_id);


--
-- Name: requested_links requested_links_token_sha256_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.requested_links
    ADD CONSTRAINT requested_links_token_sha256_unique UNIQUE (token_sha256);


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
-- Name: webhook_attempts webhook_attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (webhook_id, slot);


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
-- Name: ceremonies_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ceremonies_expires_at ON public.ceremonies USING btree (expires_at);


--
-- Name: ceremonies_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ceremonies_user_id ON public.ceremonies USING btree (user_id);


--
-- Name: email_changes_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX email_changes_expires_at ON public.email_changes USING btree (expires_at);


--
-- Name: email_undos_email; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX email_undos_email ON public.email_undos USING btree (email);


--
-- Name: email_undos_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX email_undos_expires_at ON public.email_undos USING btree (expires_at);


--
-- Name: email_undos_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX email_undos_user_id ON public.email_undos USING btree (user_id);


--
-- Name: factors_one_totp; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX factors_one_totp ON public.factors USING btree (user_id) WHERE (kind = 'totp'::text);


--
-- Name: factors_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX factors_user_id ON public.factors USING btree (user_id, created_at);


--
-- Name: gate_codes_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX gate_codes_expires_at ON public.gate_codes USING btree (expires_at);


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
-- Name: requested_links_expires_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX requested_links_expires_at ON public.requested_links USING btree (expires_at);


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
-- Name: users_without_password; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_without_password ON public.users USING btree (email) WHERE (password_hash IS NULL);


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
-- Name: webhook_attempts webhook_attempts_webhook_id_foreign; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_webhook_id_foreign FOREIGN KEY (webhook_id) REFERENCES public.outbox_cursors(id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--

\unrestrict Vhve5NGb1bDjzxIOFGCIZYTi66LN6XhodtyUSuEsOTOWgW2D9RA92ymkkx4SKb9

