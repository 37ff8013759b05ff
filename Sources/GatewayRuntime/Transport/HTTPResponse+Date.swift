package import GatewayCore

extension HTTPResponse {
  /// The same with a `Date` by the loop's clock, unless it has one. Only on the loop.
  package func dated(by loop: EventLoop) -> HTTPResponse {
    guard header("date") == nil else { return self }
    var response = self
    response.headers.append(loop.date)
    return response
  }
}
