/// A parser of a flag's value. It throws a ``UsageError`` for an invalid value.
package struct Reading<Value: Sendable>: Sendable {
  package let read: @Sendable (_ given: Arguments.Value, _ name: String) throws -> Value

  package init(_ read: @escaping @Sendable (_ given: Arguments.Value, _ name: String) throws -> Value) {
    self.read = read
  }

  /// Returns a reading that applies `transform` to the value: a further check, or a conversion.
  package func map<Other: Sendable>(
    _ transform: @escaping @Sendable (_ value: Value, _ name: String) throws -> Other
  ) -> Reading<Other> {
    Reading<Other> { [read] given, name in try transform(try read(given, name), name) }
  }
}

extension Reading<Arguments.Value> {
  /// Reads the value as it was given, for a check that needs other flags too.
  package static var asGiven: Self { Self { given, _ in given } }
}

extension Reading where Value: RawRepresentable<String> & CaseIterable {
  /// Reads one of a few words.
  package static var choice: Self { Self { given, _ in try given.choice() } }
}

extension Reading<String> {
  package static var text: Self { Self { given, _ in given.text } }

  /// Reads the secret in a file.
  package static var secret: Self { Self { given, _ in try given.secret() } }
}

extension Reading<Int> {
  package static func int(_ range: ClosedRange<Int>) -> Self { Self { given, _ in try given.int(in: range) } }
}

extension Reading<Double> {
  package static func number(_ range: ClosedRange<Double>) -> Self { Self { given, _ in try given.number(in: range) } }

  /// Reads a number from 0 to 1, or a percentage.
  package static var share: Self { Self { given, _ in try given.share() } }
}

extension Reading<Duration> {
  package static var duration: Self { Self { given, _ in try given.duration() } }

  /// Reads a duration of at least one second.
  package static var secondOrMore: Self {
    duration.map { duration, name in
      guard duration >= .seconds(1) else {
        throw UsageError("--\(name)", value: "\(duration)", expected: "1s or more")
      }
      return duration
    }
  }
}

extension Reading<Duration?> {
  /// Reads a duration; 0 means none.
  package static var durationOrNone: Self {
    Reading<Duration>.duration.map { duration, _ in duration == .zero ? nil : duration }
  }
}
