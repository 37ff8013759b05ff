/// A builder of lists of options. The compiler checks each option separately; an array literal of twenty takes it
/// minutes.
@resultBuilder
package enum OptionList<Settings: Sendable> {
  package static func buildExpression(_ option: Option<Settings>) -> [Option<Settings>] { [option] }
  package static func buildExpression(_ options: [Option<Settings>]) -> [Option<Settings>] { options }
  package static func buildBlock(_ parts: [Option<Settings>]...) -> [Option<Settings>] { parts.flatMap { $0 } }
}
