/// A settings value that can be reloaded: every copy of the settings sees the replacement. Setting it in one copy separates
/// that copy from the others, as with any other member.
package struct Renewable<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var content: Replaceable<Box>

  package init(_ value: Value) {
    content = Replaceable(Box(value))
  }

  package var value: Value {
    get { content.value.value }
    set { content = Replaceable(Box(newValue)) }
  }

  /// Replaces the value in this copy and every other copy with that of `other`. May be called from any thread.
  package func take(_ other: Renewable) { content.replace(with: other.content.value) }
}
