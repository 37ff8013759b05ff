/// A pool of values, each at a fixed index until it is removed. It grows in chunks, so that no value is copied and no
/// memory is allocated twice.
struct ChunkedPool<Value: BitwiseCopyable>: ~Copyable {
  private static var chunkBits: UInt32 { 16 }

  private var chunks: [UnsafeMutablePointer<Value>] = []
  private var free: [UInt32] = []
  private var count: UInt32 = 0

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// Stores the value and returns its index.
  mutating func add(_ value: Value) -> UInt32 {
    let place: UInt32
    if let last = free.popLast() {
      place = last
    } else {
      place = count
      count += 1
      if place >> Self.chunkBits == chunks.count { chunks.append(.allocate(capacity: 1 << Self.chunkBits)) }
    }
    self[place] = value
    return place
  }

  mutating func remove(_ place: UInt32) { free.append(place) }

  subscript(place: UInt32) -> Value {
    get { chunks[Int(place >> Self.chunkBits)][Int(place & (1 << Self.chunkBits - 1))] }
    nonmutating set { chunks[Int(place >> Self.chunkBits)][Int(place & (1 << Self.chunkBits - 1))] = newValue }
  }
}
