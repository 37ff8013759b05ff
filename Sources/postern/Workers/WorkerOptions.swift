import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewayServer

/// The flags of a storm that name its workers, e.g. `--worker 10.0.0.7:7300`, once for each.
struct WorkerOptions {
  let addresses: [WorkerAddress]
  private let access: WorkerAccess
  /// How long workers that cannot be reached are waited for.
  private let wait: Duration

  /// A larger error of the clock is reported.
  private static let clockSlack = Duration.milliseconds(500)

  init(_ draft: WorkerDraft) throws {
    addresses = draft.addresses
    let secret = try addresses.isEmpty ? "" : draft.secret.map { try WorkerSecret.read($0, of: "--worker-secret-file") }
    guard let secret else {
      throw UsageError("--worker needs --worker-secret-file, the file that postern worker --secret-file names there")
    }
    access = WorkerAccess(secret: secret, authorityPath: draft.authority?.text)
    wait = draft.wait
    guard let authority = draft.authority else { return }
    do {
      try TLSIdentity(caPath: authority.text).check()
    } catch {
      throw UsageError("\(authority.source): \(error)")
    }
  }

  /// Returns a worker for each of so many parts, in turn. Throws ``WorkerFailure`` if one cannot be had.
  func connect(parts: Int) async throws -> [WorkerLink] {
    guard !addresses.isEmpty else { return [] }
    let deadline = SystemTime.sinceBoot + wait
    let dealt = (0..<parts).map { addresses[$0 % addresses.count] }
    var links: [WorkerAddress: WorkerLink] = [:]
    for address in dealt where links[address] == nil {
      links[address] = try await WorkerLink.open(
        address, access: access, parts: dealt.count { $0 == address }, until: deadline)
    }
    return dealt.compactMap { links[$0] }
  }

  /// Returns a caveat for each worker whose clock differs from this machine's.
  static func caveats(_ links: [WorkerLink]) -> [String] {
    var told: Set<WorkerAddress> = []
    return links.compactMap { link in
      let distance = max(link.clockError, .zero - link.clockError)
      guard distance > clockSlack, told.insert(link.address).inserted else { return nil }
      return "the clock of the worker \(link.address) is \(Figures.duration(distance)) "
        + "\(link.clockError > .zero ? "ahead of" : "behind") this machine's, by which the storm goes"
    }
  }
}
