-- Tenants: accounts of their own below a project, kept under a project id of their own, `<project>/<tenant>`. An older release
-- beside it would show them as projects: make the first tenant when every gateway is new.

ALTER TABLE project
    ADD COLUMN parent_id text REFERENCES project (id) ON DELETE CASCADE,
    -- What is set of the tenant; null for a project. All else is the parent's, so the other columns say nothing.
    ADD COLUMN tenant jsonb CHECK (jsonb_typeof(tenant) = 'object'),
    -- A tenant that nobody finds any more; what it held is removed bit by bit, and the row at last.
    ADD COLUMN deleted_at timestamptz,
    ALTER COLUMN number DROP NOT NULL,
    DROP CONSTRAINT project_id_check,
    ADD CONSTRAINT project_id_check CHECK (
        CASE WHEN parent_id IS NULL THEN id ~ '^[a-z0-9][a-z0-9-]{0,62}$' AND number IS NOT NULL AND tenant IS NULL
            AND deleted_at IS NULL
        -- One slash: a tenant has no tenants.
        ELSE id ~ '^[a-z0-9][a-z0-9-]{0,62}/[A-Za-z0-9_-]{1,63}$' AND starts_with(id, parent_id || '/')
            AND number IS NULL AND tenant IS NOT NULL END);

CREATE INDEX project_tenant ON project (parent_id, id COLLATE "C") WHERE parent_id IS NOT NULL;
