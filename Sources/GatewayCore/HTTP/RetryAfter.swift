/// The field `Retry-After` (RFC 9110 section 10.2.3): a number of seconds or a date.
package enum RetryAfter {
  /// The upper limit of the wait, whatever the server requests.
  package static let longest = Duration.seconds(3600)

  /// Returns how long to wait before the next request, at most an hour; nil if the response does not say.
  package static func read(_ response: HTTPResponse, at now: WallTime) -> Duration? {
    guard let text = response.header("retry-after") else { return nil }
    if let seconds = Int(text) { return seconds < 0 ? nil : min(.seconds(min(seconds, 86_400)), longest) }
    // The date is compared with the server's own clock, if the response has a `Date`.
    guard let until = WallTime(httpDate: text) else { return nil }
    let date = response.header("date").flatMap { WallTime(httpDate: $0) } ?? now
    return min(max(.zero, until - date), longest)
  }
}
