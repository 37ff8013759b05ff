internal import GatewayCore
internal import GatewayRuntime
internal import GatewayTokens

/// The server of an issuer's keys: one question at a time, and what is remembered between questions. Only on its loop.
///
/// `@unchecked Sendable`: touched only on its loop.
final class KeySource: @unchecked Sendable {
  typealias Resolver = KeyFetcher.Resolver

  /// A good answer.
  struct Answer {
    /// The new keys; nil if they are the same as before.
    var keys: FetchedKeys?
    /// How long they may be used, if the server says.
    var freshFor: Duration?
  }

  /// How long one request may take, with its name service, connection and TLS, and a question of several.
  private static let timeout = Duration.seconds(3)
  private static let questionTimeout = Duration.seconds(6)
  /// How many sets are fetched before the discovery document is read again.
  private static let discoveryInterval = 10
  private static let tagBytesMax = 512
  private static let retryAfterMax = Duration.seconds(600)

  private let settings: IssuerSettings
  private let owner: KeyOwner
  private let loop: EventLoop
  private let dialer: any Dialer
  private let resolve: Resolver?
  /// Where the keys are by discovery.
  private var discovered: EndpointAddress?
  private var asksSinceDiscovery = 0
  /// When the present question has taken too long.
  private var due = Instant.zero
  /// The tag of the last good set, and the set's bytes.
  private var tag: String?
  private(set) var bytes: [UInt8]?

  init(
    _ settings: IssuerSettings, owner: KeyOwner, on loop: EventLoop, by dialer: any Dialer, resolve: Resolver?
  ) {
    self.settings = settings
    self.owner = owner
    self.loop = loop
    self.dialer = dialer
    self.resolve = resolve
  }

  /// Forgets the last good set, which is no longer in use.
  func forget() { (tag, bytes) = (nil, nil) }

  /// Remembers a set that was fetched in an earlier life of the gateway.
  func remember(_ set: [UInt8]) { (tag, bytes) = (nil, set) }

  /// Asks for the keys. Only from a task on the loop.
  nonisolated(nonsending) func ask() async -> Result<Answer, KeyFailure> {
    due = loop.now + Self.questionTimeout
    do throws(KeyFailure) {
      let (address, mayBeInside) = try await keysAddress()
      let response = try await answer(at: address, ifNoneMatch: bytes == nil ? nil : tag, mayBeInside: mayBeInside)
      asksSinceDiscovery += 1
      return .success(try read(response))
    } catch {
      // The document may say another place by now.
      discovered = nil
      return .failure(error)
    }
  }

  private func read(_ response: HTTPResponse) throws(KeyFailure) -> Answer {
    let freshFor = Freshness.read(response)
    if response.status == 304 {
      guard bytes != nil else { throw KeyFailure("status 304, and no set is here", .refused) }
      return Answer(freshFor: freshFor)
    }
    let named = response.header("etag").flatMap { Self.isTag($0) ? $0 : nil }
    if response.body == bytes {
      tag = named
      return Answer(freshFor: freshFor)
    }
    do throws(KeyError) {
      let keys = try FetchedKeys(jwks: response.body, of: owner, algorithms: IssuerSettings.algorithms)
      (tag, bytes) = (named, response.body)
      return Answer(keys: keys, freshFor: freshFor)
    } catch {
      throw KeyFailure(String("\(error)".prefix(512)), .malformed)
    }
  }

  /// Returns whether a tag may be sent back (RFC 9110 section 8.8.3).
  private static func isTag(_ text: String) -> Bool {
    text.utf8.count <= tagBytesMax && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  // MARK: Discovery

  /// Returns where the keys are, and whether that may be inside the operator's network.
  private nonisolated(nonsending) func keysAddress() async throws(KeyFailure) -> (EndpointAddress, Bool) {
    guard let kind = settings.discovery else {
      guard case .keys(let address) = settings.place else { throw KeyFailure("no address", .malformed) }
      return (address, true)
    }
    let documents: [EndpointAddress]
    do throws(EndpointFault) {
      documents = try kind.addresses(of: settings.issuer.text)
    } catch {
      throw KeyFailure("\(error)", .malformed)
    }
    // The document may lead into the network where the issuer is, and nowhere else inside.
    let isInside = Self.isInside(documents[0], try await addresses(of: documents[0]))
    if let discovered, asksSinceDiscovery < Self.discoveryInterval { return (discovered, isInside) }
    let body: [UInt8]
    do throws(KeyFailure) {
      body = try await answer(at: documents[0], mayBeInside: true).body
    } catch {
      guard error.isMissing else { throw error }
      body = try await answer(at: documents[1], mayBeInside: true).body
    }
    let address = try DiscoveryDocument(body, of: settings.issuer).keys
    (discovered, asksSinceDiscovery) = (address, 0)
    return (address, isInside)
  }

  private static func isInside(_ address: EndpointAddress, _ found: [String]) -> Bool {
    (found + [address.host]).contains { IPAddress($0)?.isInside ?? (Name($0) == "localhost") }
  }

  // MARK: Requests

  /// Returns the answer with status 200 or 304. A redirect is a failure like any other status.
  private nonisolated(nonsending) func answer(
    at address: EndpointAddress, ifNoneMatch tag: String? = nil, mayBeInside: Bool
  ) async throws(KeyFailure) -> HTTPResponse {
    let end = min(due, loop.now + Self.timeout)
    let found = try await addresses(of: address)
    guard mayBeInside || !Self.isInside(address, found) else {
      throw KeyFailure("the jwks_uri leads into a network where the issuer is not: \(address.host)", .refused)
    }
    let left = end - loop.now
    guard left > .zero else { throw KeyFailure("no answer in time", .timedOut) }
    let target = address.target(found, caPath: settings.caPath)
    switch await dialer.fetch(address.request(ifNoneMatch: tag), from: target, timeout: left) {
    case .success(let response):
      guard response.status == 200 || response.status == 304 && tag != nil else {
        var failure = KeyFailure("status \(response.status)", .refused)
        failure.status = response.status
        failure.retryAfter = RetryAfter.read(response, at: loop.wallTime).map { min($0, Self.retryAfterMax) }
        throw failure
      }
      return response
    case .failure(.timedOut): throw KeyFailure("no answer in time", .timedOut)
    case .failure(let failure): throw KeyFailure(String("\(failure)".prefix(512)), .unreachable)
    }
  }

  /// Returns the addresses of a host; empty for an address, and where the dialer finds them itself.
  private nonisolated(nonsending) func addresses(of address: EndpointAddress) async throws(KeyFailure) -> [String] {
    guard let resolve, IPAddress(address.host) == nil else { return [] }
    let found = try await TimedAnswer.of(
      resolve, address.host, on: loop, until: min(due, loop.now + Self.timeout),
      orElse: KeyFailure("no answer of the name service in time", .timedOut)
    ).get()
    // What is asked over plain http must not leave this machine, whatever the name service says.
    guard address.isTLS || found.allSatisfy({ IPAddress($0)?.isLoopback == true }) else {
      throw KeyFailure(
        "\(address.host) is not on loopback, and keys over plain http are taken from there only", .refused)
    }
    return found
  }
}
