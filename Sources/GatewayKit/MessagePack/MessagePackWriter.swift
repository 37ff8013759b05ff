internal import GatewayCore
internal import GatewayJSON

/// A writer of MessagePack, each value in its shortest form.
struct MessagePackWriter {
  private(set) var bytes: [UInt8] = []

  /// Writes a value of JSON. Returns false for an object that stands for a type and has a wrong value.
  mutating func write(_ view: JSONView) -> Bool {
    switch view.kind {
    case .null: bytes.append(0xc0)
    case .bool: bytes.append(view.bool == true ? 0xc3 : 0xc2)
    case .integer: integer(view.integer ?? 0)
    case .real: real(view.number ?? 0)
    case .string: view.withUTF8 { text(Array($0)) }
    case .array: return array(view.elements ?? [])
    case .object: return object(view.members ?? [])
    }
    return true
  }

  private mutating func array(_ elements: [JSONView]) -> Bool {
    head(elements.count, short: 0x90, shortMax: 15, 0xdc, 0xdd)
    for element in elements { guard write(element) else { return false } }
    return true
  }

  private mutating func object(_ members: [(name: String, value: JSONView)]) -> Bool {
    if let first = members.first, members.contains(where: { Self.isMark($0.name) }) {
      switch members.count {
      case 1: return marked(Name(first.name), first.value)
      case 2: return ext(members)
      default: return false
      }
    }
    head(members.count, short: 0x80, shortMax: 15, 0xde, 0xdf)
    for (name, value) in members {
      text(Array(name.utf8))
      guard write(value) else { return false }
    }
    return true
  }

  private static func isMark(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { MessagePack.isMark(UnsafeRawBufferPointer($0)) }
  }

  // MARK: Values that JSON lacks

  private mutating func marked(_ mark: Name, _ value: JSONView) -> Bool {
    switch mark {
    case Name(MessagePack.base64):
      guard let content = value.string.flatMap(Base64.decode) else { return false }
      head(content.count, 0xc4, 0xc5, 0xc6)
      bytes += content
    case Name(MessagePack.str):
      guard let content = value.string.flatMap(Base64.decode) else { return false }
      text(content)
    case Name(MessagePack.uint):
      guard let number = value.string.flatMap({ UInt64($0) }) else { return false }
      unsigned(number)
    case Name(MessagePack.float):
      switch value.string.map({ Name($0) }) {
      case "nan"?: real(.nan)
      case "inf"?: real(.infinity)
      case "-inf"?: real(-.infinity)
      default: return false
      }
    case Name(MessagePack.map): return pairs(value.elements)
    default: return false
    }
    return true
  }

  private mutating func ext(_ members: [(name: String, value: JSONView)]) -> Bool {
    func value(_ name: String) -> JSONView? { members.first { Name($0.name) == Name(name) }?.value }
    guard let type = value(MessagePack.ext)?.integer.flatMap({ Int8(exactly: $0) }),
      let content = value(MessagePack.base64)?.string.flatMap(Base64.decode)
    else { return false }
    switch content.count {
    case 1, 2, 4, 8, 16: bytes.append(0xd4 + UInt8(content.count.trailingZeroBitCount))
    default: head(content.count, 0xc7, 0xc8, 0xc9)
    }
    bytes.append(UInt8(bitPattern: type))
    bytes += content
    return true
  }

  private mutating func pairs(_ pairs: [JSONView]?) -> Bool {
    guard let pairs else { return false }
    head(pairs.count, short: 0x80, shortMax: 15, 0xde, 0xdf)
    for pair in pairs {
      if let members = pair.members, members.count == 1 {
        text(Array(members[0].name.utf8))
        guard write(members[0].value) else { return false }
      } else {
        guard let elements = pair.elements, elements.count == 2, write(elements[0]), write(elements[1]) else {
          return false
        }
      }
    }
    return true
  }

  // MARK: Scalars

  private mutating func integer(_ number: Int64) {
    if let number = UInt64(exactly: number) { return unsigned(number) }
    if number >= -32 {
      bytes.append(UInt8(bitPattern: Int8(number)))
    } else if let number = Int8(exactly: number) {
      put(0xd0, UInt8(bitPattern: number))
    } else if let number = Int16(exactly: number) {
      put(0xd1, UInt16(bitPattern: number))
    } else if let number = Int32(exactly: number) {
      put(0xd2, UInt32(bitPattern: number))
    } else {
      put(0xd3, UInt64(bitPattern: number))
    }
  }

  private mutating func unsigned(_ number: UInt64) {
    if number <= 0x7f {
      bytes.append(UInt8(number))
    } else if let number = UInt8(exactly: number) {
      put(0xcc, number)
    } else if let number = UInt16(exactly: number) {
      put(0xcd, number)
    } else if let number = UInt32(exactly: number) {
      put(0xce, number)
    } else {
      put(0xcf, number)
    }
  }

  private mutating func real(_ number: Double) { put(0xcb, number.bitPattern) }

  private mutating func text(_ content: [UInt8]) {
    if content.count <= 31 {
      bytes.append(0xa0 | UInt8(content.count))
    } else {
      head(content.count, 0xd9, 0xda, 0xdb)
    }
    bytes += content
  }

  // MARK: Heads

  private mutating func put(_ head: UInt8, _ number: some FixedWidthInteger & UnsignedInteger) {
    bytes.append(head)
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  /// Writes a length of 8, 16 or 32 bits. No message has more bytes than 32 bits count.
  private mutating func head(_ count: Int, _ small: UInt8, _ medium: UInt8, _ large: UInt8) {
    if let count = UInt8(exactly: count) { put(small, count) } else { head(count, medium, large) }
  }

  private mutating func head(_ count: Int, _ medium: UInt8, _ large: UInt8) {
    if let count = UInt16(exactly: count) { put(medium, count) } else { put(large, UInt32(clamping: count)) }
  }

  private mutating func head(_ count: Int, short: UInt8, shortMax: Int, _ medium: UInt8, _ large: UInt8) {
    if count <= shortMax { bytes.append(short | UInt8(count)) } else { head(count, medium, large) }
  }
}
