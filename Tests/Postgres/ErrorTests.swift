import Postgres
import TestSupport
import Testing

@Suite struct ErrorTests {
    @Test("No error contains a sent or stored value")
    func privacy() async throws {
        try await Database.use { pool, home in
            try await home.server.run(
                sql: """
                    create table people (
                        email text primary key,
                        age int check (age > 0),
                        boss text references people,
                        code varchar(3)
                    );
                    insert into people (email) values ('geheim@x.de');
                    create function complain(word text) returns void language plpgsql as
                    $$ begin raise exception 'not %', word using errcode = 'MA001'; end $$
                    """)
            let add = Statement.write("add person", "insert into people values ($1, $2, $3, $4)")
            let none = String?.none
            let errors = [
                try await failure { try await pool.query(add, "geheim@x.de", 1, none, none) },
                try await failure { try await pool.query(add, "geheim", -1, none, none) },
                try await failure { try await pool.query(add, "a", 1, "geheim", none) },
                try await failure { try await pool.query(add, "b", 1, none, "geheim") },
                try await failure { try await pool.query(Statement.read("cast", "select $1::text::int8"), "geheim") },
                try await failure { try await pool.query(Statement.read("time", "select $1::timestamptz"), "geheim") },
                try await failure { try await pool.query(Statement.read("raise", "select complain($1)"), "geheim") },
            ]
            #expect(errors.map(\.sqlState) == ["23505", "23514", "23503", "22001", "22P02", "22007", "MA001"])
            for error in errors {
                #expect(!String(reflecting: error).contains("geheim"))
                var dump = ""
                Swift.dump(error, to: &dump)
                #expect(!dump.contains("geheim"))
            }
            #expect(errors[0].isUniqueViolation(of: "people_pkey") && !errors[0].isUniqueViolation(of: "other"))
            #expect(errors[1].isCheckViolation(of: "people_age_check") && errors[1].table == "people")
            #expect(errors[2].isForeignKeyViolation(of: "people_boss_fkey"))
        }
    }

    @Test("An error keeps the server's message about the SQL text")
    func messages() async throws {
        try await Database.use { pool, _ in
            let wrong = Statement.read("wrong", "select nothing from nowhere")
            let error = try await failure { try await pool.query(wrong) }
            #expect(error.message.contains("nowhere"))
            #expect("\(error)" == "postgres server 42P01 in \"wrong\": \(error.message)")
        }
    }
}
