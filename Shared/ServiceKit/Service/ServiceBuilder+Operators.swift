internal import Contract
internal import HTTP
internal import Telemetry
internal import Wire

extension ServiceBuilder {
    /// Adds the routes for operators that every service has.
    func addOperatorBasics(_ readiness: Readiness) {
        let status = OperatorStatus(
            service: name, readiness: readiness, connectionLimit: connectionLimit, subjects: measured)
        let settings = config.effective
        operatorRoutes { routes in
            routes.show("/operator/status") { .json(try await status.report($0)) }
            routes.show("/operator/queues") { .json(await status.queues($0)) }
            routes.show("/operator/migrations") { .json(try await status.migrations($0)) }
            routes.show("/operator/settings") { [name] call in
                call.reply(capacity: 8192) { json in
                    json.object { json in
                        json.field("service", name)
                        json.array("settings") { json in for setting in settings { json.value(setting) } }
                    }
                }
            }
        }
    }

    /// The API of operators.
    ///
    /// - Throws: for a credential that is short, or that is the one of the services.
    func operatorAPI(_ ids: IDSource) throws(ConfigError) -> OperatorAPI {
        let secret = config[CommonSettings.operatorCredential]
        guard secret.revealed.isEmpty || secret.revealed.count >= 32 else {
            throw ConfigError("operator_credential must have 32 characters at least")
        }
        guard secret.revealed != credential else {
            throw ConfigError("operator_credential must differ from service_credential")
        }
        let workspaces = internalClient(peers.workspace)
        return OperatorAPI(
            service: name, routes: api.operatorRoutes.router, credential: BearerCredential(secret),
            file: OperatorFile(config[CommonSettings.operatorsFile], pool: pool, log: log),
            journal: api.journal ?? { act in _ = try await workspaces.send(OperatorActRequest(act)) }, ids: ids,
            log: log)
    }
}
