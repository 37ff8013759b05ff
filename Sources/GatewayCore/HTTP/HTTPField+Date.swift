extension HTTPField {
  /// The `Date` of an answer that is given at that time (RFC 9110 section 6.6.1).
  package static func date(_ time: WallTime) -> HTTPField { HTTPField("date", time.httpDate) }
}

extension HTTPResponse {
  /// How far the clock of who answered is ahead of ours by its `Date`, as far as whole seconds tell; nil if that may be
  /// nothing, or there is no such field.
  ///
  /// - Parameters:
  ///   - sent: When the request was sent.
  ///   - now: When the response had come.
  package func clockOffset(from sent: WallTime, to now: WallTime) -> Duration? {
    guard let date = header("date").flatMap({ WallTime(httpDate: $0) }) else { return nil }
    let half = Duration.nanoseconds(max(0, (now - sent).nanoseconds / 2))
    let offset = date + .milliseconds(500) - (sent + half)
    let hidden = half + .seconds(2)
    return offset > hidden || offset < .zero - hidden ? offset : nil
  }
}
