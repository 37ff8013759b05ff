package import GatewayCore

// Renewals without a message of the client's: by a request over HTTP, and by a token that the gateway pushes.

extension DescribedClientDialect {
  package func keyRequest(of client: ClientIdentity, _ memory: ClientMemory?) -> HTTPRequest? {
    let id = (memory?.lastID ?? 0) &+ 1
    memory?.lastID = id
    let request = wire.renewing.request?.request(source(client, memory, message: id))
    if let watch, let request {
      watch(.askedAhead("\(request.method) \(seen(Self.target(of: request), client))"))
    }
    return request
  }

  package func key(
    in response: HTTPResponse, of client: ClientIdentity, _ memory: ClientMemory?
  ) -> SessionKeyAnswer? {
    guard let request = wire.renewing.request else { return nil }
    guard (200..<300).contains(response.status) else {
      watch?(.answeredAhead(status: response.status, lacking: nil))
      return .unrenewed(status: response.status, retryAfter: RetryAfter.read(response, at: client.now))
    }
    let content = request.take(from: response, into: memory, at: client.now)
    watch?(.answeredAhead(status: response.status, lacking: content.lacking))
    if let name = content.lacking { return .incomplete(name: "lacks_\(ReportLabel.cleaned(name))") }
    return .renewed(content.token.map { Credentials(token: $0) }, life: content.life)
  }

  /// Returns the notice of a pushed token, or of what is wrong with it.
  func pushed(_ taken: Taken, to client: ClientIdentity) -> ServerNotice {
    guard let text = taken.token else { return .remark(name: "pushed_lacks_token") }
    let token = Credentials(token: text)
    if token == client.token { return .remark(name: "pushed_same_token") }
    if let end = end(of: token), end <= client.now { return .remark(name: "pushed_expired_token") }
    return .pushed(token)
  }
}
