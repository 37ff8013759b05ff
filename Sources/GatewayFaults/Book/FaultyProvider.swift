internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime

/// The token provider's layer with every possible fault.
///
/// `@unchecked Sendable`: used only on the gateway's loop, on which the provider runs.
final class FaultyProvider: TokenMinting, @unchecked Sendable {
  private let book: FaultBook
  /// The last token of each user and scheme, for a provider that returns the same one again.
  private var last: [Holder: MintedToken] = [:]

  private struct Holder: Hashable {
    let user: UserID
    let scheme: String?
  }

  /// The maximum number of remembered tokens.
  private static let holdersMax = 10_000

  init(in book: FaultBook) {
    self.book = book
  }

  func mint(
    _ order: TokenOrder, with issuer: any TokenIssuer, at now: WallTime, defaultLife: Duration?
  ) async throws(TokenRefusal) -> MintedToken {
    let subject = FaultSubject(user: order.user, kind: order.kind)
    guard await book.delayProvider(for: subject) else { throw TokenRefusal(.overloaded) }
    let holder = Holder(user: order.user, scheme: order.scheme)
    var asked = ProviderOrder(
      order: order, now: book.loop.rightWallTime, last: last[holder], issuer: issuer, defaultLife: defaultLife)
    if let (fault, standing) = book.befallen((any IssuerClockFault).self, of: subject) {
      asked.now = asked.now + fault.error.offset(after: book.loop.now - standing.begins)
    }
    let fault = book.fault((any ProviderAnswer).self, of: subject)
    let providerTime = asked.now == now ? nil : asked.now
    var token: MintedToken
    do throws(TokenRefusal) {
      token = try fault?.answer(to: asked) ?? asked.minted
    } catch {
      var refusal = error
      refusal.providerTime = providerTime
      throw refusal
    }
    token.providerTime = providerTime
    if last.count >= Self.holdersMax, last[holder] == nil { last.removeAll() }
    last[holder] = token
    return token
  }
}
