select json_build_object('email', email, 'is_active', user_entity.enabled,
  'created_at', to_timestamp(created_timestamp / 1000),
  'password_hash', case when data is null or 'UPDATE_PASSWORD' = any (actions) then null
    when data ->> 'algorithm' = 'argon2' then format('$argon2%s$v=19$m=%s,t=%s,p=%s$%s$%s', more -> 'type' ->> 0, more -> 'memory' ->> 0,
      data ->> 'hashIterations', more -> 'parallelism' ->> 0,
      rtrim(secret ->> 'salt', '='), rtrim(secret ->> 'value', '='))
    else format('$%s$i=%s$%s$%s', data ->> 'algorithm', data ->> 'hashIterations', secret ->> 'salt', secret ->> 'value')
  end)
from user_entity join realm on realm.id = realm_id and realm.name = :'realm'
  left join credential on user_id = user_entity.id and credential.type = 'password'
  cross join lateral (select credential_data::json as data, secret_data::json as secret) as parsed
  cross join lateral (select data -> 'additionalParameters' as more) as parameters
  cross join lateral (select array(
    select required_action from user_required_action as required where required.user_id = user_entity.id
  ) as actions) as pending
where email is not null and service_account_client_link is null and federation_link is null
  and (email_verified or not (verify_email or 'VERIFY_EMAIL' = any (actions)));
