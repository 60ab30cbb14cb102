select json_build_object('email', email, 'created_at', created_at,
  'is_active', banned_until is null or banned_until <= now(), 'password_hash', nullif(encrypted_password, ''))
from auth.users
where email <> '' and email_confirmed_at is not null and deleted_at is null and not is_sso_user and not is_anonymous;
