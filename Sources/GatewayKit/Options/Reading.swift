/// A parser of a flag's value. It returns nil if the flag is not given and throws a ``UsageError`` for an invalid
/// value.
package struct Reading<Value: Sendable>: Sendable {
  package let read: @Sendable (_ arguments: Arguments, _ name: String) throws -> Value?

  package init(_ read: @escaping @Sendable (_ arguments: Arguments, _ name: String) throws -> Value?) {
    self.read = read
  }

  /// Returns a reading that applies `transform` to the value: a further check, or a conversion.
  package func map<Other: Sendable>(
    _ transform: @escaping @Sendable (_ value: Value, _ name: String) throws -> Other
  ) -> Reading<Other> {
    Reading<Other> { [read] arguments, name in try read(arguments, name).map { try transform($0, name) } }
  }
}

extension Reading<Arguments.Value> {
  /// Reads the value as it was given, for a check that needs other flags too.
  package static var asGiven: Self { Self { $0.value($1) } }
}

extension Reading where Value: RawRepresentable<String> & CaseIterable {
  /// Reads one of a few words.
  package static var choice: Self { Self { try $0.choice($1, Value.self) } }
}

extension Reading<String> {
  package static var text: Self { Self { $0.string($1) } }

  /// Reads the secret in a file.
  package static var secret: Self { Self { try $0.secret($1) } }
}

extension Reading<Int> {
  package static func int(_ range: ClosedRange<Int>) -> Self { Self { try $0.int($1, in: range) } }
}

extension Reading<Double> {
  package static func number(_ range: ClosedRange<Double>) -> Self { Self { try $0.number($1, in: range) } }

  /// Reads a number from 0 to 1, or a percentage.
  package static var share: Self { Self { try $0.share($1) } }
}

extension Reading<Duration> {
  package static var duration: Self { Self { try $0.duration($1) } }

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
