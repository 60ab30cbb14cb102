($hashes | INDEX("auth0|" + (.alt_id // ._id["$oid"]))) as $of
| inputs
| select(.email and (.user_id | startswith("auth0|")))
# if only confirmed e-mails may log in:
# | select(.email_verified)
| { email, is_active: (.blocked | not), created_at, password_hash: $of[.user_id].passwordHash }
