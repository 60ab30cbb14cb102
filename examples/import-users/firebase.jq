.users[]
| select(.email)
# if only confirmed e-mails may log in:
# | select(.emailVerified)
| {
    email,
    is_active: (.disabled | not),
    created_at: (.createdAt | tonumber / 1000 | floor | todate),
    password_hash: (
      if (.passwordHash // "") == "" then null
      else "$fbscrypt$v=1,n=14,r=8,p=1,ss=\($ss),sk=\($sk)$\(.salt)$\(.passwordHash)" | gsub("-"; "+") | gsub("_"; "/")
      end
    )
  }
