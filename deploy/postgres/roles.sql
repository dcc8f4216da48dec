-- Creates one role and one schema for each service. No role can read another's schema. The script can be run repeatedly, and
-- must be run again before an upgrade.
-- The passwords come from the environment: MARU_PASSWORD_AUTH and so on, and MARU_PASSWORD_SUPERUSER if it is set.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
\getenv auth MARU_PASSWORD_AUTH
\getenv workspace MARU_PASSWORD_WORKSPACE
\getenv chat MARU_PASSWORD_CHAT
\getenv realtime MARU_PASSWORD_REALTIME
\getenv payment MARU_PASSWORD_PAYMENT
\getenv superuser MARU_PASSWORD_SUPERUSER

SELECT format('CREATE ROLE %I', name)
FROM unnest(ARRAY['auth', 'workspace', 'chat', 'realtime', 'payment', 'audit', 'audit_keeper']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name)
\gexec

\if :{?superuser}
ALTER ROLE CURRENT_USER PASSWORD :'superuser';
\endif
ALTER ROLE auth LOGIN PASSWORD :'auth';
ALTER ROLE workspace LOGIN PASSWORD :'workspace';
ALTER ROLE chat LOGIN PASSWORD :'chat';
ALTER ROLE realtime LOGIN PASSWORD :'realtime';
ALTER ROLE payment LOGIN PASSWORD :'payment';

REVOKE ALL ON DATABASE maru FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

SELECT statement
FROM unnest(ARRAY['auth', 'workspace', 'chat', 'realtime', 'payment']) AS name,
    unnest(ARRAY[
        format('GRANT CONNECT ON DATABASE maru TO %I', name),
        format('CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I', name, name),
        format('ALTER ROLE %I IN DATABASE maru SET search_path = %I', name, name)
    ]) AS statement
\gexec

-- Where Citus divides the messages of chat-service, the coordinator signs in at its workers as that role. The schemas of the other
-- services are on the coordinator alone.
SELECT to_regclass('pg_catalog.pg_dist_authinfo') IS NOT NULL AS has_citus \gset
\if :has_citus
DELETE FROM pg_dist_authinfo WHERE rolename = 'chat';
INSERT INTO pg_dist_authinfo
VALUES (0, 'chat', format('password=''%s''', regexp_replace(:'chat', '([\\''])', '\\\1', 'g')));
SELECT format('ALTER ROLE %I IN DATABASE maru SET citus.enable_ddl_propagation = off', name)
FROM unnest(ARRAY['auth', 'workspace', 'realtime', 'payment', 'audit', 'audit_keeper']) AS name
\gexec
\endif

-- The audit log belongs to a role of its own, which nobody can sign in as, so that no service can change it. While the log is
-- missing, workspace-service is lent the role: its migration makes the log and gives the role back.
CREATE SCHEMA IF NOT EXISTS audit AUTHORIZATION audit;
SELECT 'GRANT audit TO workspace WITH ADMIN OPTION' WHERE to_regclass('audit.entry') IS NULL
UNION ALL
SELECT 'REVOKE audit FROM workspace'
WHERE to_regclass('audit.entry') IS NOT NULL
    AND EXISTS (SELECT FROM pg_auth_members WHERE roleid = 'audit'::regrole AND member = 'workspace'::regrole)
\gexec

-- The audit log of operators came later, and its migration is lent the role in the same way. The loan goes through a second
-- role, because the migration of the first log gives back what is lent directly.
GRANT audit TO audit_keeper;
SELECT 'GRANT audit_keeper TO workspace WITH ADMIN OPTION' WHERE to_regclass('audit.operator_act') IS NULL
UNION ALL
SELECT 'REVOKE audit_keeper FROM workspace'
WHERE to_regclass('audit.operator_act') IS NOT NULL
    AND EXISTS (SELECT FROM pg_auth_members WHERE roleid = 'audit_keeper'::regrole AND member = 'workspace'::regrole)
\gexec
