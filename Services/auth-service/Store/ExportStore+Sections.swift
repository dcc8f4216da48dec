import Postgres
import ServiceKit

extension ExportStore {
    /// The tables with rows of an account. Secrets are left out, such as hashes of passwords and seeds of codes, and so are
    /// the blocks of other users.
    static let sections = [
        ExportSection(
            "profile",
            .read(
                "exported profile",
                """
                select '1', json_build_object(
                    'user_id', id::text, 'email', email, 'emailVerified', is_email_verified, 'nickname', nickname,
                    'phone', phone, 'profileImage', profile_image, 'provider', provider, 'language', language,
                    'hasPassword', password_hash is not null, 'createdAt', export_time(created_at),
                    'mailsRefusedAt', export_time(mail_bounced_at))::text, substr(profile_image, 9)
                from account where id = $1 and $2::text = '' limit $3
                """)),
        ExportSection(
            "earlierPortraits",
            .read(
                "exported earlier portraits",
                """
                select path, json_build_object(
                    'path', path, 'replacedAt', export_time(due_at), 'entry', 'files/' || substr(path, 9))::text,
                    substr(path, 9)
                from unused_portrait
                where account = $1 and path > $2::text order by path limit $3
                """)),
        ExportSection(
            "identities",
            .read(
                "exported identities",
                """
                select provider || ',' || subject, json_build_object(
                    'provider', provider, 'subject', subject, 'linkedAt', export_time(created_at))::text, null::text
                from identity where account = $1 and provider || ',' || subject > $2::text
                order by provider || ',' || subject limit $3
                """)),
        ExportSection(
            "issuers",
            .read(
                "exported identities of issuers",
                """
                select issuer || ',' || subject, json_build_object(
                    'issuer', issuer, 'subject', subject, 'linkedAt', export_time(created_at))::text, null::text
                from oidc_identity where account = $1 and issuer || ',' || subject > $2::text
                order by issuer || ',' || subject limit $3
                """)),
        ExportSection(
            "sessions",
            .read(
                "exported sessions",
                """
                select id::text, json_build_object(
                    'session_id', id::text, 'app', profile, 'createdAt', export_time(created_at),
                    'expiresAt', export_time(expires_at), 'endedAt', export_time(revoked_at))::text, null::text
                from session where account = $1 and id > coalesce(nullif($2::text, ''), '0')::bigint
                order by session.id limit $3
                """)),
        ExportSection(
            "devices",
            .read(
                "exported devices",
                """
                select token, json_build_object(
                    'token', token, 'session_id', session::text, 'updatedAt', export_time(updated_at))::text, null::text
                from device where account = $1 and token > $2::text order by token limit $3
                """)),
        ExportSection(
            "knownDevices",
            .read(
                "exported known devices",
                """
                select encode(digest, 'hex'), json_build_object(
                    'device', encode(digest, 'hex'), 'seenAt', export_time(seen_at))::text, null::text
                from known_device where account = $1 and digest > decode($2::text, 'hex') order by digest limit $3
                """)),
        ExportSection(
            "secondFactor",
            .read(
                "exported second factor",
                """
                select '1', json_build_object(
                    'begunAt', export_time(created_at), 'enabledAt', export_time(enabled_at), 'recoveryCodes',
                    (select count(*) from recovery_code r where r.account = f.account and r.used_at is null))::text,
                    null::text
                from second_factor f where account = $1 and $2::text = '' limit $3
                """)),
        ExportSection(
            "rememberedDevices",
            .read(
                "exported remembered devices",
                """
                select encode(digest, 'hex'), json_build_object(
                    'rememberedAt', export_time(created_at), 'until', export_time(expires_at))::text, null::text
                from remembered_device where account = $1 and digest > decode($2::text, 'hex') order by digest limit $3
                """)),
        ExportSection(
            "blocks",
            .read(
                "exported blocks",
                """
                select blocked::text, json_build_object(
                    'user_id', blocked::text, 'blockedAt', export_time(created_at))::text, null::text
                from block where account = $1 and blocked > coalesce(nullif($2::text, ''), '0')::bigint
                order by block.blocked limit $3
                """)),
        ExportSection(
            "mails",
            .read(
                "exported mails",
                """
                select id::text, json_build_object(
                    'recipient', recipient, 'about', template, 'detail', detail, 'createdAt', export_time(created_at))::text,
                    null::text
                from mail where account = $1 and id > coalesce(nullif($2::text, ''), '0')::bigint order by mail.id limit $3
                """)),
        ExportSection(
            "codes",
            .read(
                "exported codes",
                """
                select id::text, json_build_object(
                    'purpose', purpose, 'address', address, 'createdAt', export_time(created_at),
                    'usedAt', export_time(used_at))::text, null::text
                from mail_code
                where (account = $1 or address = (select email_key from account where id = $1))
                    and id > coalesce(nullif($2::text, ''), '0')::bigint order by mail_code.id limit $3
                """)),
        ExportSection(
            "exports",
            .read(
                "exported exports",
                """
                select '1', json_build_object('state', state, 'requestedAt', export_time(requested_at))::text, null::text
                from export where account = $1 and $2::text = '' limit $3
                """)),
    ]
}
