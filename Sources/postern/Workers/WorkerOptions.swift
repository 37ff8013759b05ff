import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewayServer

/// The flags of a storm that name its workers, e.g. `--worker 10.0.0.7:7300`, once for each.
struct WorkerOptions {
  /// This machine.
  static let none = WorkerOptions()

  let addresses: [WorkerAddress]
  private let access: WorkerAccess
  /// How long workers that cannot be reached are waited for.
  private let wait: Duration

  /// A clock that is more wrong than this is told of.
  private static let clockSlack = Duration.milliseconds(500)
  /// The shortest secret, in bytes: a peer may try as many as it likes.
  private static let secretBytesMin = 16

  private init() {
    addresses = []
    access = WorkerAccess(secret: "", authorityPath: nil)
    wait = .zero
  }

  init(_ arguments: Arguments) throws {
    addresses = try arguments.values("worker").map { try WorkerAddress($0) }
    let secret = try addresses.isEmpty ? "" : Self.secret(arguments, "worker-secret-file")
    guard let secret else {
      throw UsageError("--worker needs --worker-secret-file, the file that postern worker --secret-file names there")
    }
    let authority = arguments.value("worker-ca")
    access = WorkerAccess(secret: secret, authorityPath: authority?.text)
    wait = try arguments.duration("worker-wait") ?? .zero
    guard let authority else { return }
    do {
      try TLSIdentity(caPath: authority.text).check()
    } catch {
      throw UsageError("\(authority.source): \(error)")
    }
  }

  /// Returns the secret of storms and workers in the file that the flag names; nil if the flag is not given.
  static func secret(_ arguments: Arguments, _ name: String) throws -> String? {
    guard let secret = try arguments.secret(name) else { return nil }
    guard secret.utf8.count >= secretBytesMin else {
      throw UsageError("--\(name): a secret of workers has at least \(secretBytesMin) characters")
    }
    return secret
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
