internal import GatewayCore

/// A duration that JSON holds as a number of seconds, e.g. `0.25`.
@propertyWrapper
package struct InSeconds: Hashable, Sendable, Codable {
  package var wrappedValue: Duration

  package init(wrappedValue: Duration) {
    self.wrappedValue = wrappedValue
  }

  package init(from decoder: any Decoder) throws {
    let seconds = try decoder.singleValueContainer().decode(Double.self)
    guard let nanoseconds = Int64(exactly: (seconds * 1e9).rounded()) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a number of seconds of more than 292 years"))
    }
    wrappedValue = .nanoseconds(nanoseconds)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue.inSeconds)
  }
}

extension Duration {
  /// The duration times a factor, to the nanosecond; at most 292 years.
  package func scaled(by factor: Double) -> Duration {
    .nanoseconds(Int64(exactly: (Double(nanoseconds) * factor).rounded()) ?? (factor < 0 ? .min : .max))
  }
}
