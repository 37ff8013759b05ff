/// A value of settings that can be read anew: every copy of the settings sees what it was replaced with. Setting it makes a
/// value of its own, as with any other member.
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

  /// Has this and every copy of it hold what `other` holds. From any thread.
  package func take(_ other: Renewable) { content.replace(with: other.content.value) }
}
