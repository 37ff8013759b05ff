public import PosternTesting
public import Testing

extension Trait where Self == PosternTrait {
  /// A gateway for the test, with the defaults of `postern serve`.
  public static var postern: Self { Self() }

  /// Returns the trait for a gateway with these options.
  public static func postern(_ options: PosternGateway.Options) -> Self { Self(options) }

  /// Returns the trait for a gateway with some of `PosternGateway.Options` changed.
  public static func postern(
    loginTimeout: Duration? = nil, refreshTimeout: Duration? = nil, refreshLead: Duration? = nil,
    closesRevoked: Bool = false, providerLatency: Duration? = nil, isFrozen: Bool = false, seed: UInt64? = nil
  ) -> Self {
    var options = PosternGateway.Options()
    if let loginTimeout { options.loginTimeout = loginTimeout }
    if let refreshTimeout { options.refreshTimeout = refreshTimeout }
    if let refreshLead { options.refreshLead = refreshLead }
    if let providerLatency { options.providerLatency = providerLatency }
    options.closesRevoked = closesRevoked
    options.isFrozen = isFrozen
    options.seed = seed
    return Self(options)
  }
}

extension PosternGateway {
  @TaskLocal static var ofTest: PosternGateway?

  /// An error of a test that requests a gateway, but has no trait `.postern`.
  public struct NoGateway: Error, CustomStringConvertible {
    /// The advice how to correct it.
    public let description = "this test has no gateway: give it, or its suite, the trait .postern"
  }

  /// The gateway of the running test, also in tasks that it starts. Throws ``NoGateway`` if neither the test nor its suite
  /// has the trait.
  public static var current: PosternGateway {
    get throws {
      guard let ofTest else { throw NoGateway() }
      return ofTest
    }
  }
}
