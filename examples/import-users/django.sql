select json_build_object('email', email, 'is_active', is_active, 'created_at', date_joined,
  'password_hash', case when password > '' and password not like '!%'
    then regexp_replace(password, '^(argon2|bcrypt[$])', '') end)
from auth_user where email <> ''
  -- if django-allauth demands confirmed e-mails:
  -- and exists (select from account_emailaddress as a where a.user_id = auth_user.id and verified and lower(a.email) = lower(auth_user.email))
;
