package import Testing

extension Trait where Self == ConditionTrait {
  /// The mark of a test or suite that takes more than two seconds in a debug build. `Tests/run quick` leaves it out.
  package static var long: Self { .enabled(if: !QuickRun.isOn, "Tests/run runs it, and quick does not") }
}
