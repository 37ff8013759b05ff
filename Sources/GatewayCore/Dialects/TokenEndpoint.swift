/// The place where a fleet's clients get their tokens over HTTP, and how they ask: an application's `/api/token/` that
/// a file describes, for instance.
package protocol TokenEndpoint: Sendable {
  /// Whether a request says when the token is to end; else the endpoint decides.
  var takesEnds: Bool { get }

  /// Whether an answer can be known to say when its token ends.
  var tellsEnds: Bool { get }

  /// Who client number `number` is.
  func user(of number: Int) -> UserID

  /// What a client remembers before it has asked for anything.
  func memory() -> TokenMemory

  /// The request for a token; throws a sentence if it cannot be said.
  func request(_ wish: TokenWish, _ memory: TokenMemory) throws(TokenEndpointError) -> TokenRequest

  /// What an answer comes to. What the client is to remember of it goes into its memory.
  func answer(
    _ response: HTTPResponse, to request: TokenRequest, at now: WallTime, _ memory: inout TokenMemory
  ) -> TokenAnswer

  /// What a request that was not answered comes to: its reason in the report, and a sentence that leads to the mend.
  /// `detail` says more than the reason, for people.
  func unanswered(
    _ request: TokenRequest, reason: String, detail: String, _ memory: inout TokenMemory
  ) -> TokenAnswer
}

/// A token that a client wants: ann's, good for ten minutes, for instance.
package struct TokenWish: Hashable, Sendable {
  /// Whose; a name that no endpoint accepts for those that are to be refused.
  package var user: UserID
  /// The number of the client.
  package var number: Int
  package var life: TokenLife
  /// Whether the endpoint is to refuse it.
  package var isHopeless = false
  package var now: WallTime
  /// What the client took from the gateway on its connection, slot by slot: the name of the connection, say, that the token is
  /// for.
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

/// A request to a token endpoint as it goes out: the one that renews ann's token, to the endpoint's second place, for
/// instance.
package struct TokenRequest: Hashable, Sendable {
  package var http: HTTPRequest
  /// To which of the endpoint's places.
  package var place: Int
  /// Whether it is the one that renews: nil where there is one for both.
  package var isRenewal: Bool?
  package var wish: TokenWish

  package init(_ http: HTTPRequest, place: Int, isRenewal: Bool?, wish: TokenWish) {
    self.http = http
    self.place = place
    self.isRenewal = isRenewal
    self.wish = wish
  }
}

/// An error of a token endpoint's, as a sentence: a request could not be said, or the answer has no field `X-Token`,
/// for instance.
package struct TokenEndpointError: Error, Hashable, Sendable, CustomStringConvertible {
  package let sentence: String
  package var description: String { sentence }

  package init(_ sentence: String) {
    self.sentence = sentence
  }
}
