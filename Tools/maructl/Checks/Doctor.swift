import CCrypto
import EventLoop
import Glibc
import ServiceKit
import Wire

/// Asks all services about themselves, sends a message through the product, and judges the answers.
struct Doctor: Sendable {
    let client: OperatorClient
    let loop: EventLoop

    func examine(isJSON: Bool) async -> Performer.Outcome {
        var findings: [Finding] = []
        var statuses: [(service: String, status: JSONValue)] = []
        for service in ServiceName.allCases {
            let name = service.rawValue
            do {
                let askedAt = Timestamp.now
                let status = try await client.get(service, "/operator/status")
                let answeredAt = Timestamp.now
                findings.append(DoctorRules.readiness(name, status))
                findings.append(DoctorRules.clock(name, status, askedAt: askedAt, answeredAt: answeredAt))
                findings += DoctorRules.limits(name, status)
                findings += [DoctorRules.openFiles(name, status), DoctorRules.disk(name, status)].compactMap(\.self)
                findings.append(DoctorRules.migrations(name, try await client.get(service, "/operator/migrations")))
                findings += DoctorRules.lags(name, try await client.get(service, "/operator/queues"))
                statuses.append((name, status))
            } catch {
                findings.append(Finding(name, .wrong, "\(error)"))
            }
        }
        findings.append(DoctorRules.versions(statuses, own: Build.version))
        if !client.settings.certificate.isEmpty { findings.append(certificate()) }
        findings.append(await message())
        return Self.outcome(Self.withoutRepetitions(findings), isJSON: isJSON)
    }

    /// Services that share a store report the same of it; the worst of them stays.
    private static func withoutRepetitions(_ findings: [Finding]) -> [Finding] {
        var kept: [Finding] = []
        for finding in findings {
            guard let index = kept.firstIndex(where: { $0.check == finding.check }) else {
                kept.append(finding)
                continue
            }
            if kept[index].level == .ok { kept[index] = finding }
        }
        return kept
    }

    private static func outcome(_ findings: [Finding], isJSON: Bool) -> Performer.Outcome {
        let isWrong = findings.contains { $0.level == .wrong }
        let rows = findings.map { [$0.level == .ok ? "ok" : $0.level.rawValue.uppercased(), $0.check, $0.detail] }
        let json = JSONWriter.bytes { json in
            json.object { json in
                json.field("healthy", !isWrong)
                json.field("checks", findings)
            }
        }
        return Performer.Outcome(
            status: isWrong ? .failed : .done,
            lines: isJSON
                ? [String(decoding: json, as: UTF8.self)] : Table(columns: ["", "check", "detail"], rows: rows).lines)
    }

    private func message() async -> Finding {
        let start = EventLoop.preciseNow
        do {
            try await MessageProbe(client: client).run()
            return Finding("a message", .ok, "sent and heard in \((EventLoop.preciseNow - start) / 1_000_000) ms")
        } catch {
            return Finding("a message", .wrong, "\(error)")
        }
    }

    private func certificate() -> Finding {
        let path = client.settings.certificate
        guard let text = Config.textOfFile(path) else { return Finding("certificate", .wrong, "cannot read \(path)") }
        return DoctorRules.certificate(Self.expiry(of: Array(text.utf8)), at: .now)
    }

    /// The end of the first certificate in a PEM text; nil if there is none.
    static func expiry(of pem: [UInt8]) -> Timestamp? {
        let source = BIO_new_mem_buf(pem, Int32(pem.count))
        defer { BIO_free(source) }
        guard let certificate = PEM_read_bio_X509(source, nil, nil, nil) else { return nil }
        defer { X509_free(certificate) }
        var time = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else { return nil }
        return Timestamp(seconds: Int64(timegm(&time)))
    }
}
