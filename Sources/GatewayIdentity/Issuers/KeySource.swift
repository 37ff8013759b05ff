internal import GatewayCore
internal import GatewayRuntime
internal import GatewayTokens

/// The server of an issuer's keys: one question at a time, and what is remembered between questions. Only on its loop.
///
/// `@unchecked Sendable`: touched only on its loop.
final class KeySource: @unchecked Sendable {
  /// A good answer.
  struct Answer {
    /// The new keys; nil if they are the same as before.
    var keys: FetchedKeys?
    /// How long they may be used, if the server says.
    var freshFor: Duration?
  }

  /// How long a question of several requests may take.
  private static let questionTimeout = Duration.seconds(6)
  /// How many sets are fetched before the discovery document is read again.
  private static let discoveryInterval = 10
  private static let tagBytesMax = 512
  /// The maximum number of bytes of a JWK set or a discovery document.
  private static let answerBytesMax = 256 << 10

  private let settings: IssuerSettings
  private let owner: KeyOwner
  private let loop: EventLoop
  private let caller: EndpointCaller
  /// The addresses at which the discovery document may be, the usual one first.
  private var documents: [Endpoint] = []
  /// The address of the keys; nil until the document has named it.
  private var place: Endpoint?
  private var asksSinceDiscovery = 0
  /// When the present question has taken too long.
  private var due = Instant.zero
  /// The tag of the last good set, and the set's bytes.
  private var tag: String?
  private(set) var bytes: [UInt8]?

  init(_ settings: IssuerSettings, owner: KeyOwner, on loop: EventLoop, by caller: EndpointCaller) {
    self.settings = settings
    self.owner = owner
    self.loop = loop
    self.caller = caller
    if case .keys(let address) = settings.place { place = endpoint(address, .anywhere, "jwks fetch") }
  }

  private func endpoint(_ address: EndpointAddress, _ reach: Endpoint.Reach, _ span: String) -> Endpoint {
    Endpoint(
      address, counted: caller.tally(settings.name), reach: reach, answerBytesMax: Self.answerBytesMax,
      identity: settings.tls, traced: span)
  }

  /// The question as faults have it.
  private var question: OutboundQuestion { OutboundQuestion(to: OutboundPlace(.keys, settings.name)) }

  /// Has the next question begin with the discovery document, if there is one.
  func discoverAgain() { asksSinceDiscovery = Self.discoveryInterval }

  /// Forgets the last good set, which is no longer in use.
  func forget() { (tag, bytes) = (nil, nil) }

  /// Remembers a set that was fetched in an earlier life of the gateway.
  func remember(_ set: [UInt8]) { (tag, bytes) = (nil, set) }

  /// Asks for the keys. Only from a task on the loop.
  nonisolated(nonsending) func ask() async -> Result<Answer, OutboundFailure> {
    due = loop.now + Self.questionTimeout
    do throws(OutboundFailure) {
      let place = try await keysPlace()
      let tag = bytes == nil ? nil : tag
      let request = place.address.request("GET", tag.map { [HTTPField("if-none-match", $0)] } ?? [])
      let answer = try await caller.ask(place, request, about: question, due: due) {
        (response) throws(OutboundFailure) in
        guard response.status == 200 || response.status == 304 && tag != nil else {
          throw OutboundFailure(status: response.status)
        }
        return try read(response)
      }
      asksSinceDiscovery += 1
      return .success(answer)
    } catch {
      // The document may say another place by now.
      asksSinceDiscovery = Self.discoveryInterval
      return .failure(error)
    }
  }

  private func read(_ response: HTTPResponse) throws(OutboundFailure) -> Answer {
    let freshFor = Freshness.read(response)
    if response.status == 304 {
      guard bytes != nil else { throw OutboundFailure("status 304, and no set is here", .refused) }
      return Answer(freshFor: freshFor)
    }
    let named = response.header("etag").flatMap { Self.isTag($0) ? $0 : nil }
    if response.body == bytes {
      tag = named
      return Answer(freshFor: freshFor)
    }
    do throws(KeyError) {
      let keys = try FetchedKeys(jwks: response.body, of: owner, algorithms: settings.algorithms)
      (tag, bytes) = (named, response.body)
      return Answer(keys: keys, freshFor: freshFor)
    } catch {
      throw OutboundFailure(String("\(error)".prefix(512)), .malformed)
    }
  }

  /// Returns whether a tag may be sent back (RFC 9110 section 8.8.3).
  private static func isTag(_ text: String) -> Bool {
    text.utf8.count <= tagBytesMax && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  // MARK: Discovery

  private nonisolated(nonsending) func keysPlace() async throws(OutboundFailure) -> Endpoint {
    guard let kind = settings.discovery else {
      guard let place else { throw OutboundFailure("no address", .malformed) }
      return place
    }
    if let place, asksSinceDiscovery < Self.discoveryInterval { return place }
    if documents.isEmpty {
      do throws(EndpointFault) {
        documents = try kind.addresses(of: settings.issuer.text).map { endpoint($0, .anywhere, "discovery fetch") }
      } catch {
        throw OutboundFailure("\(error)", .malformed)
      }
    }
    let address: EndpointAddress
    do throws(OutboundFailure) {
      address = try await keysAddress(by: documents[0])
    } catch {
      guard error.isMissing else { throw error }
      address = try await keysAddress(by: documents[1])
    }
    asksSinceDiscovery = 0
    if let place, place.address == address { return place }
    let found = endpoint(address, Self.reach(of: address, by: documents[0].address), "jwks fetch")
    place = found
    return found
  }

  /// Returns where the keys are by a document. A redirect is a failure like any other status.
  private nonisolated(nonsending) func keysAddress(
    by document: Endpoint
  ) async throws(OutboundFailure) -> EndpointAddress {
    let request = document.address.request()
    return try await caller.ask(document, request, about: question, due: due) { (response) throws(OutboundFailure) in
      guard response.status == 200 else { throw OutboundFailure(status: response.status) }
      return try DiscoveryDocument(response.body, of: settings.issuer).keys
    }
  }

  /// Returns where keys may be by a document of an issuer that the command line names: inside an internal network on the
  /// issuer's own host only.
  private static func reach(of keys: EndpointAddress, by document: EndpointAddress) -> Endpoint.Reach {
    if Name(keys.host) == Name(document.host) { return .anywhere }
    return document.isHere ? .loopback : .outside
  }
}
