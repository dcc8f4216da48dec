// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A C library of Debian's, seen through a module map and thin inline wrappers.
func library(_ name: String, _ pkgConfig: String, apt package: String) -> Target {
    .systemLibrary(name: name, path: "Shared/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A module of Shared; it knows only the floors below it.
func module(_ name: String, on floorsBelow: [String]) -> Target {
    .target(
        name: name,
        dependencies: floorsBelow.map { .init(stringLiteral: $0) },
        path: "Shared/\(name)",
        swiftSettings: settings
    )
}

/// A program beside the services, such as one that tests or measurements run.
func tool(_ name: String, at path: String, on modules: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: modules.map { .init(stringLiteral: $0) },
        path: path,
        swiftSettings: settings
    )
}

/// One of the five services; its migrations are part of the program.
func service(_ name: String, on floorsBelow: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: floorsBelow.map { .init(stringLiteral: $0) },
        path: "Services/\(name)",
        resources: [.embedInCode("Migrations")],
        swiftSettings: settings
    )
}

/// A load generator for a service, beside a peer: `deploy/load <name>`.
func load(_ name: String, on modules: [String]) -> Target {
    .executableTarget(
        name: "load-\(name)",
        dependencies: modules.map { .init(stringLiteral: $0) },
        path: "Tests/Load/\(name)",
        swiftSettings: settings
    )
}

/// The tests of a module or service, in a folder of the same name.
func tests(of name: String, alsoUsing others: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: ([name] + others).map { .init(stringLiteral: $0) },
        path: "Tests/\(name)",
        swiftSettings: settings
    )
}

/// A measurement, `deploy/bench <name>`, in a folder of that name.
func bench(_ name: String, on modules: [String]) -> Target {
    .executableTarget(
        name: "bench-\(name)",
        dependencies: modules.map { .init(stringLiteral: $0) },
        path: "Tests/Load/\(name)",
        swiftSettings: settings
    )
}

let package = Package(
    name: "maru",
    targets: [
        // Floor 0: C
        .target(name: "CSystem", path: "Shared/CSystem"),
        library("CPostgres", "libpq", apt: "libpq-dev"),
        // Without pkg-config: SwiftPM warns of its flags for hiredis.
        .systemLibrary(name: "CRedis", path: "Shared/CRedis", providers: [.apt(["libhiredis-dev"])]),
        library("CCrypto", "openssl", apt: "libssl-dev"),
        library("CArgon2", "libargon2", apt: "libargon2-dev"),
        library("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
        library("CZlib", "zlib", apt: "zlib1g-dev"),

        // Floor 1: loops and values
        module("EventLoop", on: ["CSystem"]),
        module("Wire", on: ["CSystem"]),
        module("Search", on: []),

        // Floor 2: protocols
        module("HTTP", on: ["EventLoop", "Wire", "CCurl"]),
        module("Mail", on: ["EventLoop", "Wire", "CCurl"]),
        module("Archive", on: ["Wire", "CZlib"]),
        module("WebSocket", on: ["EventLoop", "Wire", "HTTP", "CCrypto", "CZlib"]),
        module("EngineIO", on: ["EventLoop", "Wire", "HTTP", "WebSocket"]),
        module("SocketIO", on: ["EventLoop", "Wire", "WebSocket", "EngineIO"]),
        module("Crypto", on: ["Wire", "EventLoop", "CCrypto", "CArgon2"]),
        module("Redis", on: ["EventLoop", "Wire", "CRedis", "CCrypto"]),
        module("Postgres", on: ["EventLoop", "Wire", "CPostgres"]),

        // Floor 3: telemetry
        module("Telemetry", on: ["EventLoop", "Wire"]),

        // Floor 4: the parts of services
        module("Contract", on: ["Wire", "HTTP", "EventLoop", "Telemetry"]),
        module(
            "ServiceKit",
            on: ["CSystem", "EventLoop", "Wire", "HTTP", "Postgres", "Redis", "Crypto", "Telemetry", "Contract"]),

        // The program that chat-service starts for each picture; it opens libvips at run time.
        .executableTarget(
            name: "picture-previews", path: "Shared/PicturePreviews",
            linkerSettings: [.linkedLibrary("dl"), .linkedLibrary("m")]),

        // The services
        service(
            "auth-service",
            on: [
                "ServiceKit", "Contract", "HTTP", "Mail", "Archive", "Postgres", "Redis", "Crypto", "Telemetry",
                "EventLoop", "Wire",
            ]
        ),
        service(
            "workspace-service",
            on: ["ServiceKit", "Contract", "HTTP", "Postgres", "Redis", "Crypto", "Telemetry", "EventLoop", "Wire"]
        ),
        service(
            "chat-service",
            on: [
                "ServiceKit", "Contract", "Search", "HTTP", "Postgres", "Redis", "Crypto", "Telemetry", "EventLoop",
                "Wire",
            ]
        ),
        service(
            "realtime-gateway",
            on: [
                "ServiceKit", "Contract", "EngineIO", "SocketIO", "WebSocket", "HTTP", "Postgres", "Redis", "Crypto",
                "Telemetry", "EventLoop", "Wire",
            ]
        ),
        service(
            "payment-service",
            on: ["ServiceKit", "Contract", "HTTP", "Postgres", "Redis", "Crypto", "Telemetry", "EventLoop", "Wire"]
        ),

        // The operators' command
        tool("maructl", at: "Tools/maructl", on: ["ServiceKit", "HTTP", "Crypto", "CCrypto", "EventLoop", "Wire"]),

        // Programs that tests and measurements run
        tool(
            "socketio-conformance", at: "Tests/SocketIOConformance",
            on: ["EventLoop", "Wire", "HTTP", "WebSocket", "EngineIO", "SocketIO"]),
        tool("websocket-echo", at: "Tests/WebSocketEcho", on: ["EventLoop", "HTTP", "WebSocket"]),
        tool("standins", at: "Tests/Standins", on: ["EventLoop", "Wire", "HTTP", "Crypto", "CCrypto"]),

        // Support of tests
        .target(name: "TestSupport", dependencies: ["EventLoop"], path: "Tests/Support", swiftSettings: settings),
        .target(
            name: "ServiceSupport",
            dependencies: [
                "ServiceKit", "TestSupport", "HTTP", "Crypto", "Telemetry", "EventLoop", "Postgres", "Redis", "Wire",
            ],
            path: "Tests/ServiceSupport",
            swiftSettings: settings
        ),
        .target(name: "SlowLookUp", path: "Tests/HTTPClient/SlowLookUp"),
        tests(of: "EventLoop", alsoUsing: ["TestSupport"]),
        tests(of: "Wire"),
        tests(of: "Search"),
        tests(of: "HTTP", alsoUsing: ["EventLoop", "TestSupport", "Wire"]),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: ["HTTP", "EventLoop", "Wire", "TestSupport", "SlowLookUp"],
            path: "Tests/HTTPClient",
            exclude: ["SlowLookUp", "Support/server.py"],
            swiftSettings: settings
        ),
        tests(of: "Archive", alsoUsing: ["Wire", "TestSupport"]),
        tests(of: "Mail", alsoUsing: ["EventLoop", "Wire", "TestSupport", "standins"]),
        tests(of: "Crypto", alsoUsing: ["Wire", "EventLoop"]),
        tests(of: "Redis", alsoUsing: ["TestSupport", "EventLoop", "Wire"]),
        tests(of: "Postgres", alsoUsing: ["TestSupport", "EventLoop", "Wire"]),
        tests(of: "Telemetry", alsoUsing: ["TestSupport", "EventLoop", "Wire"]),
        tests(of: "maructl", alsoUsing: ["ServiceKit", "Wire"]),
        tests(of: "Contract", alsoUsing: ["EventLoop", "HTTP", "Telemetry", "Wire"]),
        tests(of: "EngineIO", alsoUsing: ["EventLoop", "HTTP", "WebSocket", "TestSupport"]),
        tests(of: "SocketIO", alsoUsing: ["EngineIO", "EventLoop", "HTTP", "WebSocket", "Wire", "TestSupport"]),
        tests(of: "WebSocket", alsoUsing: ["EventLoop", "HTTP", "TestSupport", "CZlib"]),
        tests(
            of: "ServiceKit",
            alsoUsing: [
                "Contract", "Crypto", "EventLoop", "HTTP", "Postgres", "Redis", "ServiceSupport", "Telemetry",
                "TestSupport", "Wire",
            ]
        ),
        tests(
            of: "realtime-gateway",
            alsoUsing: [
                "standins", "Contract", "Crypto", "EventLoop", "HTTP", "Postgres", "Redis", "ServiceKit",
                "ServiceSupport", "Telemetry", "TestSupport", "Wire",
            ]),
        tests(
            of: "auth-service",
            alsoUsing: [
                "standins", "Contract", "Crypto", "EventLoop", "HTTP", "Mail", "Postgres", "ServiceKit",
                "ServiceSupport", "Telemetry", "TestSupport", "Wire",
            ]
        ),
        tests(
            of: "chat-service",
            alsoUsing: [
                "standins", "ServiceKit", "Contract", "Search", "HTTP", "Postgres", "Redis", "Crypto", "EventLoop",
                "ServiceSupport", "Telemetry",
                "TestSupport", "Wire",
            ]
        ),
        tests(
            of: "workspace-service",
            alsoUsing: [
                "ServiceKit", "Contract", "HTTP", "EventLoop", "ServiceSupport", "TestSupport", "Wire",
            ]
        ),
        tests(
            of: "payment-service",
            alsoUsing: [
                "ServiceKit", "Contract", "HTTP", "Postgres", "Redis", "Crypto", "EventLoop", "ServiceSupport",
                "TestSupport", "Wire",
            ]
        ),

        // Measurements
        bench("fanout", on: ["GatewayLoad"]),
        bench("me", on: ["GatewayLoad"]),
        bench("http", on: ["ServiceSupport", "HTTP", "LoadClient", "TestSupport"]),
        bench("json", on: ["LoadClient", "TestSupport", "Wire"]),
        bench("postgres", on: ["Postgres", "EventLoop", "LoadClient", "TestSupport"]),
        bench("redis", on: ["EventLoop", "Redis", "TestSupport"]),
        bench("telemetry", on: ["EventLoop", "Telemetry"]),
        bench("websocket", on: ["EventLoop", "HTTP", "WebSocket", "LoadClient", "TestSupport"]),
        bench(
            "search", on: ["EventLoop", "HTTP", "LoadClient", "ServiceSupport", "TestSupport", "Wire"]),
        bench("sends", on: ["ChatLoad", "LoadClient"]),
        bench("history", on: ["ChatLoad", "LoadClient"]),
        bench("changes", on: ["ChatLoad", "LoadClient"]),
        load("auth", on: ["LoadClient", "Crypto", "EventLoop", "HTTP", "TestSupport", "Wire"]),
        load("payment", on: ["LoadClient", "EventLoop", "TestSupport"]),
        load(
            "product", on: ["Crypto", "EventLoop", "LoadClient", "ServiceKit", "ServiceSupport", "TestSupport", "Wire"]),
        load("realtime", on: ["GatewayLoad"]),
        load("chat", on: ["ChatLoad", "LoadClient"]),
        load("workspace", on: ["LoadClient", "ServiceSupport", "HTTP", "EventLoop", "TestSupport"]),
        .target(
            name: "ChatLoad",
            dependencies: [
                "Contract", "EventLoop", "HTTP", "LoadClient", "Redis", "ServiceSupport", "TestSupport", "Wire",
            ],
            path: "Tests/Load/ChatLoad", swiftSettings: settings),
        .target(
            name: "LoadClient", dependencies: ["EventLoop", "ServiceSupport", "TestSupport", "WebSocket"],
            path: "Tests/Load/LoadClient", swiftSettings: settings),
        .target(
            name: "GatewayLoad",
            dependencies: [
                "Contract", "Crypto", "EventLoop", "HTTP", "LoadClient", "Redis", "ServiceSupport", "SocketIO",
                "TestSupport", "WebSocket", "Wire",
            ],
            path: "Tests/Load/GatewayLoad",
            exclude: ["socketio_server.py"],
            swiftSettings: settings
        ),
    ]
)

// The fuzzer wants flags of its own for everything it links: Tests/Fuzz/run gives them.
if Context.environment["MARU_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        // Links to files of ServiceKit: with all of it and its dependencies, the build would take twice as long.
        .target(name: "PictureHeaders", path: "Tests/Fuzz/PictureHeaders", swiftSettings: settings),
        tool(
            "fuzz", at: "Tests/Fuzz/Runner",
            on: [
                "CFuzzer", "Crypto", "EngineIO", "HTTP", "PictureHeaders", "Redis", "SocketIO", "Telemetry",
                "WebSocket", "Wire",
            ]),
    ]
}

// Images build only the services, so that a change of a test rebuilds none: deploy/Dockerfile.
if Context.environment["MARU_WITHOUT_TESTS"] != nil {
    package.targets.removeAll { $0.path?.hasPrefix("Tests/") == true }
}
