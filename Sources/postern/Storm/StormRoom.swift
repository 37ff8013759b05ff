import GatewayFleet
import GatewayKit
import GatewayProcess

/// The descriptors that one process of a storm has for its clients and for their requests to the provider. It reserves 256
/// for itself.
struct StormRoom {
  /// The system's limit.
  let limit: Int

  private var descriptors: Int { limit - DescriptorLimit.reserve }

  /// Returns the default number of requests at once: the usual number, or a quarter of the descriptors if there are too few.
  ///
  /// - Parameter usual: The number with sufficient descriptors.
  func fetches(usual: Int) -> Int { max(1, min(usual, descriptors / 4)) }

  /// Returns how many clients fit besides the requests. Throws if none fits.
  ///
  /// - Parameter fetches: The maximum number of requests to the provider at once; 0 if tokens are minted.
  func clients(beside fetches: Int) throws -> Int {
    let clients = descriptors - fetches
    guard clients <= 0 else { return clients }
    let allowed = "the limit of \(Figures.count(limit)) descriptors (ulimit -n)"
    guard descriptors > 1 else {
      throw UsageError("\(allowed) leaves no room for clients: a process keeps \(DescriptorLimit.reserve) for itself")
    }
    throw UsageError("\(allowed) leaves no room for clients beside --fetches \(fetches)")
  }

  /// Returns the caveat for a storm with fewer requests at once than usual.
  ///
  /// - Parameter fetches: The number of requests in each process.
  func note(fetches: Int) -> String {
    "\(Figures.count(fetches)) requests to the provider at once in each process, because "
      + "\(Figures.count(limit)) descriptors are allowed (ulimit -n)"
  }
}
