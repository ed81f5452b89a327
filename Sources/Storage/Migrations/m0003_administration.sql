-- What administrators set: phone numbers and custom claims of accounts, claims that a custom token gave a session; and
-- service keys found by their secret alone. An older release beside it neither reads nor writes the new columns.

ALTER TABLE account
    ADD COLUMN phone_number text CHECK (phone_number LIKE '+%'),
    -- A JSON object, kept as the text that was given.
    ADD COLUMN custom_claims text CHECK (jsonb_typeof(custom_claims::jsonb) = 'object');

CREATE UNIQUE INDEX account_phone_number_key ON account (project_id, phone_number) WHERE phone_number IS NOT NULL;

ALTER TABLE session
    -- A JSON object; goes into every ID token of the session.
    ADD COLUMN claims text;

CREATE UNIQUE INDEX service_key_secret_hash_key ON service_key (secret_hash);
