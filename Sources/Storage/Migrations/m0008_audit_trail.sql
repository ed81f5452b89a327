-- Where what the audit trail tells came from, and ways to look into it by subject, actor and action. An older release
-- beside it leaves the new columns empty.

ALTER TABLE audit_event
    -- Wide enough to name nobody: an IPv4 /24 or an IPv6 /48.
    ADD COLUMN network text,
    -- As in the log.
    ADD COLUMN request_id text;

-- The id makes the order of lines of one moment a fixed one, so that a page ends where the next begins.
CREATE INDEX audit_event_time ON audit_event (project_id, occurred_at, id);
CREATE INDEX audit_event_subject ON audit_event (project_id, subject, occurred_at, id);
CREATE INDEX audit_event_actor ON audit_event (project_id, actor, occurred_at, id);
CREATE INDEX audit_event_action ON audit_event (project_id, action, occurred_at, id);
DROP INDEX audit_event_occurred_at;
