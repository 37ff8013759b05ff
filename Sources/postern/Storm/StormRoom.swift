import GatewayFleet
import GatewayKit

/// The descriptors that one process of a storm has for its clients and for their requests to the provider: 768, for
/// instance, where 1,024 are allowed, since it keeps 256 for itself.
struct StormRoom {
  /// The system's limit.
  let limit: Int

  private var descriptors: Int { limit - DescriptorLimit.reserve }

  /// How many requests at once a process has if nobody says: the usual number, or a quarter of its descriptors where those are
  /// too few for that and for clients.
  ///
  /// - Parameter usual: What is had with descriptors enough.
  func fetches(usual: Int) -> Int { max(1, min(usual, descriptors / 4)) }

  /// How many clients a process can have beside so many requests. Throws if it is none.
  ///
  /// - Parameter fetches: How many requests to the provider there may be at once; 0 where tokens are minted.
  func clients(beside fetches: Int) throws -> Int {
    let clients = descriptors - fetches
    guard clients <= 0 else { return clients }
    let allowed = "the limit of \(Figures.count(limit)) descriptors (ulimit -n)"
    guard descriptors > 1 else {
      throw UsageError("\(allowed) leaves no room for clients: a process keeps \(DescriptorLimit.reserve) for itself")
    }
    throw UsageError("\(allowed) leaves no room for clients beside --fetches \(fetches)")
  }

  /// What to know of a storm that has fewer requests at once than usual.
  ///
  /// - Parameter fetches: How many it has, in each process.
  func note(fetches: Int) -> String {
    "\(Figures.count(fetches)) requests to the provider at once in each process, because "
      + "\(Figures.count(limit)) descriptors are allowed (ulimit -n)"
  }
}
