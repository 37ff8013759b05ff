/// A flag and the setting that it sets. This one declaration provides the flag, the variable, the key in a file, the
/// line of the help, the check and the effect.
package struct Option<Settings: Sendable>: Sendable {
  package let flag: Flag
  /// Reads the flag's values. Leaves the settings unchanged if there are none.
  private let take: @Sendable ([Arguments.Value], inout Settings) throws -> Void

  private init(_ flag: Flag, _ take: @escaping @Sendable ([Arguments.Value], inout Settings) throws -> Void) {
    self.flag = flag
    self.take = take
  }

  /// Creates an option that sets the property at `path`.
  package init<Value: Sendable>(
    _ name: String, _ value: String, _ help: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
    _ reading: Reading<Value>
  ) {
    self.init(Flag(name, value, help)) { given, settings in
      if let last = given.last { settings[keyPath: path] = try reading.read(last, name) }
    }
  }

  /// Creates an option that sets the optional property at `path`.
  package init<Value: Sendable>(
    _ name: String, _ value: String, _ help: String, _ path: any WritableKeyPath<Settings, Value?> & Sendable,
    _ reading: Reading<Value>
  ) {
    self.init(Flag(name, value, help)) { given, settings in
      if let last = given.last { settings[keyPath: path] = try reading.read(last, name) }
    }
  }

  /// Creates a switch. If it is on, the property at `path` is set to `on`, else to the opposite.
  package init(
    _ name: String, _ help: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, on: Bool = true
  ) {
    self.init(Flag(name, nil, help)) { given, settings in
      if let last = given.last { settings[keyPath: path] = try last.isOn() == on }
    }
  }

  /// Creates a switch that sets the property at `path`, with the switch's source.
  package init(
    _ name: String, _ help: String, _ path: any WritableKeyPath<Settings, Sourced<Bool>?> & Sendable
  ) {
    self.init(Flag(name, nil, help)) { given, settings in
      settings[keyPath: path] = try given.last.map { Sourced(value: try $0.isOn(), source: $0.source) }
    }
  }

  /// Creates an option that calls `take` for each value of the flag, in their order.
  package init(
    _ name: String, _ value: String, _ help: String, repeats: Bool = false,
    take: @escaping @Sendable (Arguments.Value, inout Settings) throws -> Void
  ) {
    self.init(Flag(name, value, help, repeats: repeats)) { given, settings in
      for value in given { try take(value, &settings) }
    }
  }

  /// Creates an option that appends each value of the flag to the array at `path`, as it was given.
  package init(
    _ name: String, _ value: String, _ help: String,
    each path: any WritableKeyPath<Settings, [Arguments.Value]> & Sendable
  ) {
    self.init(name, value, help, repeats: true) { value, settings in settings[keyPath: path].append(value) }
  }

  /// Creates a flag without an effect of its own. The code that makes the settings reads it together with others, by
  /// ``Arguments/values(of:)``.
  package init(_ name: String, _ value: String, _ help: String, repeats: Bool = false) {
    self.init(Flag(name, value, help, repeats: repeats)) { _, _ in }
  }

  /// Returns the same option for settings of which these are a part.
  package func of<Whole>(_ part: any WritableKeyPath<Whole, Settings> & Sendable) -> Option<Whole> {
    Option<Whole>(flag) { [take] given, settings in try take(given, &settings[keyPath: part]) }
  }

  /// Returns the same option for settings of which these are an optional part. If the part is missing, giving the flag
  /// is an error, whose text is the flag and `mistake`.
  package func of<Whole>(
    _ part: any WritableKeyPath<Whole, Settings?> & Sendable, orElse mistake: String
  ) -> Option<Whole> {
    Option<Whole>(flag) { [take, flag] given, settings in
      if var value = settings[keyPath: part] {
        try take(given, &value)
        settings[keyPath: part] = value
      } else if !given.isEmpty {
        throw UsageError("--\(flag.name) \(mistake)")
      }
    }
  }

  fileprivate func read(_ given: [Arguments.Value], into settings: inout Settings) throws { try take(given, &settings) }
}

extension Arguments {
  /// Reads the options, in their order.
  package func read<Settings>(_ options: [Option<Settings>], into settings: inout Settings) throws {
    // Only a few of the hundreds of options are given.
    for option in options {
      if let values = given[option.flag.name] { try option.read(values, into: &settings) }
    }
  }
}
