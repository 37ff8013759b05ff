import GatewayCore
import GatewayFleet
import GatewayKit

/// The flags of a storm that name its workers, e.g. `--worker 10.0.0.7:7300`, once for each.
struct WorkerOptions {
  /// This machine.
  static let none = WorkerOptions()

  let addresses: [WorkerAddress]
  private let secret: String

  /// A clock that is more wrong than this is told of.
  private static let clockSlack = Duration.milliseconds(500)

  private init() {
    addresses = []
    secret = ""
  }

  init(_ arguments: Arguments) throws {
    addresses = try arguments.values("worker").map { try WorkerAddress($0) }
    let secret = try addresses.isEmpty ? "" : arguments.workerSecret("worker-secret-file")
    guard let secret else {
      throw UsageError("--worker needs --worker-secret-file, the file that postern worker --secret-file names there")
    }
    self.secret = secret
  }

  /// A connection for each of so many parts, to the workers in turn. Throws ``WorkerFailure`` if one cannot be had.
  func connect(parts: Int) throws -> [WorkerLink] {
    guard !addresses.isEmpty else { return [] }
    return try (0..<parts).map { try WorkerLink.open(addresses[$0 % addresses.count], secret: secret) }
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
