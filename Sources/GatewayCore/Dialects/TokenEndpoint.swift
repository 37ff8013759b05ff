/// The endpoint from which a fleet's clients get their tokens over HTTP, and the form of their requests.
package protocol TokenEndpoint: Sendable {
  /// Whether a request states the token's expiry; if not, the endpoint decides.
  var takesEnds: Bool { get }

  /// Whether the endpoint's answers are known to state when the token ends.
  var tellsEnds: Bool { get }

  /// Whether requests show a refresh token of an earlier answer.
  var rotates: Bool { get }

  /// Returns the user of client number `number`.
  func user(of number: Int) -> UserID

  /// Creates the memory of a client that has made no request yet.
  func memory() -> TokenMemory

  /// Returns the request for a token; throws a sentence if it cannot be built.
  func request(_ wish: TokenWish, _ memory: TokenMemory) throws(TokenEndpointError) -> TokenRequest

  /// Returns the result of an answer, and stores what the client must remember of it.
  func answer(
    _ response: HTTPResponse, to request: TokenRequest, at now: WallTime, _ memory: inout TokenMemory
  ) -> TokenAnswer

  /// Returns the result of a request that was not answered: its reason in the report, and a sentence that says how to
  /// fix it. `detail` says more than the reason, for people.
  func unanswered(
    _ request: TokenRequest, reason: String, detail: String, _ memory: inout TokenMemory
  ) -> TokenAnswer
}

/// A token that a client requests.
package struct TokenWish: Hashable, Sendable {
  /// The token's user; a name that no endpoint accepts, for a request that must be refused.
  package var user: UserID
  /// The number of the client.
  package var number: Int
  package var life: TokenLife
  /// Whether the endpoint must refuse it.
  package var isHopeless = false
  package var now: WallTime
  /// The values that the client took from the gateway on its connection, by slot, e.g. the name of the connection that
  /// the token is for.
  package var taken: [String?]

  package init(
    user: UserID, number: Int, life: TokenLife, isHopeless: Bool = false, now: WallTime, taken: [String?] = []
  ) {
    self.user = user
    self.number = number
    self.life = life
    self.isHopeless = isHopeless
    self.now = now
    self.taken = taken
  }
}

/// A request to a token endpoint, ready to send.
package struct TokenRequest: Hashable, Sendable {
  package var http: HTTPRequest
  /// The index of the endpoint's place that receives the request.
  package var place: Int
  /// Whether the request renews a token; nil if one request serves both purposes.
  package var isRenewal: Bool?
  package var wish: TokenWish

  package init(_ http: HTTPRequest, place: Int, isRenewal: Bool?, wish: TokenWish) {
    self.http = http
    self.place = place
    self.isRenewal = isRenewal
    self.wish = wish
  }
}

/// An error of a token endpoint, as a sentence.
package struct TokenEndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  package let sentence: String
  package var description: String { sentence }

  package init(_ sentence: String) {
    self.sentence = sentence
  }
}
