package import GatewayCore
internal import GatewayJSON

/// A token endpoint that a file describes, as a fleet's clients use it.
package struct DescribedTokenEndpoint: TokenEndpoint {
  package let description: TokenDescription
  /// The base of paths that do not begin with a host.
  private let base: String
  /// A callback for every exchange; nil for a fleet.
  private let watch: (@Sendable (TokenSight) -> Void)?

  /// Creates an endpoint.
  ///
  /// - Parameters:
  ///   - description: The requests, and the places of values in answers.
  ///   - base: The path of the URL on the command line.
  ///   - watch: A callback for every exchange; nil for a fleet.
  package init(_ description: TokenDescription, base: String = "", watch: (@Sendable (TokenSight) -> Void)? = nil) {
    self.description = description
    self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
    self.watch = watch
  }

  /// Returns this endpoint with a callback for every exchange.
  package func watched(by watch: @escaping @Sendable (TokenSight) -> Void) -> DescribedTokenEndpoint {
    DescribedTokenEndpoint(description, base: base, watch: watch)
  }

  package var takesEnds: Bool { description.takesEnds }
  package var tellsEnds: Bool { !description.answer.ends.isEmpty }

  package var rotates: Bool { description.showsTaken }

  package func user(of number: Int) -> UserID { UserID(description.users.name(of: number)) }

  package func memory() -> TokenMemory { TokenMemory(slots: description.answer.taking.count) }

  // MARK: Requests

  package func request(_ wish: TokenWish, _ memory: TokenMemory) throws(TokenEndpointError) -> TokenRequest {
    let source = TokenHoles(
      wish: wish, memory: memory, users: description.users, secrets: description.secrets,
      wireTaken: description.wireTaken)
    // Used when all its values are available. A request that must be refused contains no user's refresh token.
    let renew = wish.isHopeless ? nil : description.renew.flatMap { $0.isReady(source) ? $0 : nil }
    let call = renew ?? description.request
    let choice = (wish.number &+ memory.failures) % call.addresses.count
    do {
      var http = try call.request(choice, from: source)
      if call.addresses[choice].place == nil { http.path = base + http.path }
      let place = description.places.firstIndex(of: call.addresses[choice].place) ?? 0
      let request = TokenRequest(
        http, place: place, isRenewal: description.renew == nil ? nil : renew != nil, wish: wish)
      watch?(.asked(title(of: request)))
      return request
    } catch {
      throw TokenEndpointError("a request for \(wish.user) could not be said: \(error)")
    }
  }

  /// Returns the request as it may be shown: method and URL, without the values in a query.
  func title(of request: TokenRequest) -> String {
    let path = request.http.path.prefix { $0 != "?" }
    let hidden = description.users.secrets(of: request.wish.number) + Array(description.secrets.values)
    let shown = hidden.filter { $0.utf8.count >= 3 }.reduce(String(path)) {
      $0.replacing(bytesOf: PercentEncoding.encode($1), with: "<secret>")
    }
    return "\(request.http.method) \(shown.prefix(200))\(path.endIndex == request.http.path.endIndex ? "" : "?…")"
  }

  // MARK: Answers

  package func answer(
    _ response: HTTPResponse, to request: TokenRequest, at now: WallTime, _ memory: inout TokenMemory
  ) -> TokenAnswer {
    memory.requests &+= 1
    var answer = judged(response, to: request, at: now, &memory)
    if case .failed = answer.outcome { memory.failures &+= 1 }
    if case .busy = answer.outcome { memory.failures &+= 1 }
    if answer.clockOffset == nil { answer.clockOffset = response.clockOffset(from: request.wish.now, to: now) }
    watch?(.answered(status: response.status, TokenSight.words(of: answer, at: now)))
    return answer
  }

  package func unanswered(
    _ request: TokenRequest, reason: String, detail: String, _ memory: inout TokenMemory
  ) -> TokenAnswer {
    memory.requests &+= 1
    memory.failures &+= 1
    let answer = TokenAnswer(.failed, label: reason, sentence: advice(reason, detail, request))
    watch?(.unanswered(answer.sentence ?? reason))
    return answer
  }

  private func judged(
    _ response: HTTPResponse, to request: TokenRequest, at now: WallTime, _ memory: inout TokenMemory
  ) -> TokenAnswer {
    let status = response.status
    let body = TokenAnswerRules.body(of: response)
    if description.statuses.busy.contains(status) {
      let wait = RetryAfter.read(response, at: now)
      return TokenAnswer(.busy(status: status, retryAfter: wait), label: label(status, body, request, memory))
    }
    if description.statuses.refused.contains(status) {
      // A new login starts again: earlier values are invalid.
      if request.isRenewal == true { memory.taken = memory.taken.map { _ in nil } }
      return TokenAnswer(
        .refused(status: status), label: label(status, body, request, memory), sentence: advice(response, body, request)
      )
    }
    if (300..<400).contains(status) { return redirected(response, request) }
    guard (200..<300).contains(status) else {
      return TokenAnswer(
        .failed, label: label(status, body, request, memory), sentence: advice(response, body, request))
    }
    switch description.answer.token.token(in: response, body) {
    case .failure(let error):
      let sentence = "\(title(of: request)) answered \(status) without a token: \(error.sentence)"
      return TokenAnswer(.failed, label: "no_token", sentence: sentence)
    case .success(let token):
      return granted(token, body, response, request, at: now, &memory)
    }
  }

  private func granted(
    _ token: Credentials, _ body: JSONView?, _ response: HTTPResponse, _ request: TokenRequest, at now: WallTime,
    _ memory: inout TokenMemory
  ) -> TokenAnswer {
    description.answer.take(from: body, into: &memory)
    memory.failures = 0
    var answer = TokenAnswer(.token(token), label: "token")
    answer.isSameToken = memory.token == token
    memory.token = token
    answer.clockOffset = response.clockOffset(from: request.wish.now, to: now)
    let offset = answer.clockOffset ?? .zero
    let asked = Self.end(asked: request.wish, at: now)
    for rule in description.answer.ends {
      guard let told = rule.end(of: token, body, at: now, offset: offset) else { continue }
      if description.endsAsAsked, asked.end < told.end { break }
      answer.end = told.end
      answer.endSource = told.source
      answer.life = told.life ?? max(.zero, told.end - now)
      answer.sentence = late(told.end, at: now, request)
      return answer
    }
    if takesEnds {
      // The answer has no expiry, so the requested one is assumed.
      answer.endSource = .asked
      (answer.end, answer.life) = asked
      return answer
    }
    if let doubt = description.answer.ends.lazy.compactMap({ $0.doubt(about: token, body) }).first {
      answer.sentence = "\(title(of: request)) gave a token whose end \(doubt); without it a storm needs --timeout"
      return answer
    }
    let looked = description.answer.ends.map(\.words).filter { !$0.isEmpty }.joined(separator: ", and ")
    answer.sentence =
      "no answer says when a token ends (\(looked)): \"end\" in the description names where the answer does, "
      + "{\"seconds\": \"/expires_in\"} for instance, or {\"fixed\": \"5m\"}; without it a storm needs --timeout"
    return answer
  }

  /// Returns the end and the life of the token that the storm wishes.
  private static func end(asked wish: TokenWish, at now: WallTime) -> (end: WallTime, life: Duration) {
    switch wish.life {
    case .lasting(let life): (wish.now + life, life)
    case .until(let end): (end, max(.zero, end - now))
    }
  }

  /// Returns the error for a redirect, as of a login page. Its target may belong to another server.
  private func redirected(_ response: HTTPResponse, _ request: TokenRequest) -> TokenAnswer {
    let location = response.header("location") ?? ""
    let host = EndpointPlace.split(location)?.place.text ?? "a path of its own"
    let sentence =
      "\(title(of: request)) was answered \(response.status), to \(host): no redirect is followed; \"url\" names where "
      + "tokens are really given"
    return TokenAnswer(.failed, label: "redirected", sentence: sentence)
  }

  private func label(_ status: Int, _ body: JSONView?, _ request: TokenRequest, _ memory: TokenMemory) -> String {
    let hidden =
      description.users.secrets(of: request.wish.number) + Array(description.secrets.values)
      + memory.taken.compactMap { $0 } + [memory.token?.token].compactMap { $0 }
    let word = description.answer.errorLabel(in: body, hiding: hidden)
    return word.map { "http_\(status) \($0)" } ?? "http_\(status)"
  }
}

extension TokenCall {
  /// Returns whether all its values are available.
  fileprivate func isReady(_ source: TokenHoles) -> Bool {
    holes.allSatisfy { source.value(of: $0) != nil }
  }
}
