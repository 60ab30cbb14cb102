select json_build_object('email', email, 'created_at', "user"."createdAt"::timestamptz,
  'is_active', not coalesce((field ->> 'banned')::boolean and coalesce((field ->> 'banExpires')::timestamptz > now(), true), false),
  'password_hash', '$scrypt$ln=14,r=16,p=1$' || encode(convert_to(split_part(password, ':', 1), 'UTF8'), 'base64')
    || '$' || translate(encode(decode(split_part(password, ':', 2), 'hex'), 'base64'), chr(10), ''))
from "user" left join account on "userId" = "user".id and "providerId" = 'credential'
  cross join lateral (select to_jsonb("user") as field) as of_plugins -- "banned" and "isAnonymous" exist with their plugins alone
where not coalesce((field ->> 'isAnonymous')::boolean, false)
  -- if requireEmailVerification is on:
  -- and "emailVerified"
;
