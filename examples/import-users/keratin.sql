select json_build_object('email', username, 'is_active', not locked, 'created_at', created_at,
  'password_hash', case when not require_new_password then nullif(password, '') end)
from accounts where deleted_at is null;
