-- What a service key may do, until when, and when it was last seen. Keys made before may do all, as they could.
-- An older release beside it makes keys that may do all, and knows neither scopes nor expiry: while one still answers,
-- no key is narrower than it was.

ALTER TABLE service_key
    -- Names of ServiceKeyScope, or `all`.
    ADD COLUMN scopes text[] NOT NULL DEFAULT '{all}' CHECK (cardinality(scopes) > 0),
    ADD COLUMN expires_at timestamptz,
    -- Written every few minutes at most.
    ADD COLUMN last_used_at timestamptz;
