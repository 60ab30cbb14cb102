-- compose.yaml, first start: the database, and who owns it but may do nothing else. The superuser loses the password
-- that they would share, so that only who is in the container is let in as one.
\set password `cat /run/secrets/database_password`
alter role postgres password null;
create role gateway login password :'password';
create database gateway owner gateway;
