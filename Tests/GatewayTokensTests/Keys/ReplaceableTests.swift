import Testing

@testable import GatewayTokens

struct ReplaceableTests {
  private final class Box: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  /// A weak reference, since an array of them is wanted.
  private struct Weak {
    weak var box: Box?
  }

  @Test
  func `a retirement frees values replaced before it, and none replaced later`() {
    var boxes: [Weak] = []
    func box(_ number: Int) -> Box {
      let box = Box(number)
      boxes.append(Weak(box: box))
      return box
    }
    let replaceable = Replaceable(box(0))
    replaceable.replace(with: box(1))
    replaceable.replace(with: box(2))
    let retirement = replaceable.retirement()
    replaceable.replace(with: box(3))
    #expect(boxes.map { $0.box?.number } == [0, 1, 2, 3])
    retirement()
    #expect(boxes.map { $0.box?.number } == [nil, nil, 2, 3] && replaceable.value.number == 3)
    // A later one before an earlier one, and one twice, do no harm.
    replaceable.retirement()()
    retirement()
    retirement()
    #expect(replaceable.value.number == 3)
  }
}
