import GatewayFleet
import GatewayKit

/// The descriptors of one process for its clients and for their requests to the provider.
///
/// Of 1,024 it has 768, since it keeps 256 for itself.
struct StormRoom {
  /// The system's limit.
  let limit: Int

  private var descriptors: Int { limit - DescriptorLimit.reserve }

  /// Returns the default number of concurrent requests: the usual number, or a quarter of the descriptors if those are too
  /// few for that and for clients.
  ///
  /// - Parameter usual: The number with enough descriptors.
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

  /// Returns the note on a storm that has fewer concurrent requests than usual.
  ///
  /// - Parameter fetches: Their number, in each process.
  func note(fetches: Int) -> String {
    "\(Figures.count(fetches)) requests to the provider at once in each process, because "
      + "\(Figures.count(limit)) descriptors are allowed (ulimit -n)"
  }
}
