/// The way in which a flag's value is read: as a duration of whole seconds, for instance. Nil where the flag is not
/// given; throws a ``UsageError`` for what it cannot be.
package struct Reading<Value: Sendable>: Sendable {
  package let read: @Sendable (_ arguments: Arguments, _ name: String) throws -> Value?

  package init(_ read: @escaping @Sendable (_ arguments: Arguments, _ name: String) throws -> Value?) {
    self.read = read
  }

  /// The same, with a further check, or as another value.
  package func map<Other: Sendable>(
    _ transform: @escaping @Sendable (_ value: Value, _ name: String) throws -> Other
  ) -> Reading<Other> {
    Reading<Other> { [read] arguments, name in try read(arguments, name).map { try transform($0, name) } }
  }
}

extension Reading where Value: RawRepresentable<String> & CaseIterable {
  /// One of a few words.
  package static var choice: Self { Self { try $0.choice($1, Value.self) } }
}

extension Reading<String> {
  package static var text: Self { Self { $0.string($1) } }

  /// The secret in a file.
  package static var secret: Self { Self { try $0.secret($1) } }
}

extension Reading<Int> {
  package static func int(_ range: ClosedRange<Int>) -> Self { Self { try $0.int($1, in: range) } }
}

extension Reading<Double> {
  package static func number(_ range: ClosedRange<Double>) -> Self { Self { try $0.number($1, in: range) } }

  /// A number from 0 to 1, or a percentage.
  package static var share: Self { Self { try $0.share($1) } }
}

extension Reading<Duration> {
  package static var duration: Self { Self { try $0.duration($1) } }

  /// A second or more.
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
  /// A duration, of which 0 means none.
  package static var durationOrNone: Self {
    Reading<Duration>.duration.map { duration, _ in duration == .zero ? nil : duration }
  }
}
