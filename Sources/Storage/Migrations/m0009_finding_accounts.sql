-- no-transaction
-- Accounts found by what their ids begin with, and listed by age or address. Built beside running gateways, of this
-- release or the one before; what a failure left half-built is built anew. Columns that change at each sign-in are in no
-- index, so that those updates stay HOT.

-- By bytes. The column keeps its collation: with another one than the columns that refer to it, none of their indexes would serve.
DROP INDEX CONCURRENTLY IF EXISTS account_id_bytes;
CREATE INDEX CONCURRENTLY account_id_bytes ON account (project_id, id COLLATE "C");

DROP INDEX CONCURRENTLY IF EXISTS account_created_at;
CREATE INDEX CONCURRENTLY account_created_at ON account (project_id, created_at, id);

-- Each account is in this one or in account_email_key.
DROP INDEX CONCURRENTLY IF EXISTS account_without_email;
CREATE INDEX CONCURRENTLY account_without_email ON account (project_id, id) WHERE email IS NULL;
