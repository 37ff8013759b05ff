extension HTTPField {
  /// Returns the `Date` field of a response that is sent at that time (RFC 9110 section 6.6.1).
  package static func date(_ time: WallTime) -> HTTPField { HTTPField("date", time.httpDate) }
}

extension HTTPResponse {
  /// Returns how far the server's clock is ahead of ours, by the response's `Date`. Nil if there is no such field, or
  /// if the offset is not above half the round trip plus 2 s, which whole seconds cannot show.
  ///
  /// - Parameters:
  ///   - sent: The time at which the request was sent.
  ///   - now: The time at which the response had arrived.
  package func clockOffset(from sent: WallTime, to now: WallTime) -> Duration? {
    guard let date = header("date").flatMap({ WallTime(httpDate: $0) }) else { return nil }
    let half = Duration.nanoseconds(max(0, (now - sent).nanoseconds / 2))
    let offset = date + .milliseconds(500) - (sent + half)
    let hidden = half + .seconds(2)
    return offset > hidden || offset < .zero - hidden ? offset : nil
  }
}
