package import GatewayCore
package import GatewayKit
package import GatewayPlain
internal import GatewayRuntime

/// The plain dialect with a slow token verification, or with a test's own commands.
package struct TimedVendor: Vendor {
  package let plain: PlainVendor
  package let bindings: [DialectBinding]

  package func routes(with provider: TokenProvider) -> [HTTPRoute] { plain.routes(with: provider) }
}

struct TimedSettings: VendorSettings {
  let plain: PlainSettings
  /// The duration of a token's verification; nil for at once.
  let judgement: Duration?
  let bind: SimulatedGateway.Binding

  func vendor(on ground: Ground) -> TimedVendor {
    let plain = plain.vendor(on: ground)
    let authenticator = plain.bindings[0].authenticator
    let judge = judgement.map { SlowAuthenticator(authenticator, takes: $0) } ?? authenticator
    return TimedVendor(plain: plain, bindings: [bind(judge, ground.executor)])
  }
}

/// An authenticator that takes time, like one that asks a store.
private struct SlowAuthenticator: Authenticator {
  private let inner: any Authenticator
  private let duration: Duration

  init(_ inner: any Authenticator, takes duration: Duration) {
    self.inner = inner
    self.duration = duration
  }

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    .pending {
      if let loop = EventLoop.current { await loop.sleep(until: loop.now + duration) }
      return await inner.judge(credentials, of: bearer, at: now).verdict
    }
  }
}
