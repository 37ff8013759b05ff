extension RedisScript {
  /// Numbers the message `ARGV[1]`, and publishes it behind its number (8 bytes) to the channel of the prefix. Returns the
  /// number.
  static let publishBody = #"""
    local number = redis.call('HINCRBY', KEYS[1] .. ':meta', 'bus', 1)
    redis.call('PUBLISH', KEYS[1] .. ':bus', struct.pack('>I8', number) .. ARGV[1])
    return number
    """#
}
