-- no-transaction
-- Accounts listed by name. Built beside running gateways, of this release or the one before; what a failure left half-built
-- is built anew.

DROP INDEX CONCURRENTLY IF EXISTS account_display_name;
CREATE INDEX CONCURRENTLY account_display_name ON account (project_id, display_name, id) WHERE display_name IS NOT NULL;

-- Each account is in this one or in that.
DROP INDEX CONCURRENTLY IF EXISTS account_without_name;
CREATE INDEX CONCURRENTLY account_without_name ON account (project_id, id) WHERE display_name IS NULL;
