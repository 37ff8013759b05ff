extension RedisScript {
  /// Takes the lease of the prefix if no process holds it, or if its holders share it.
  ///
  /// `ARGV`: the owner, for an operator; the lease's length in milliseconds; the format of the store; 1 to share it.
  /// Returns 1 and the lease, whose beginning is the boot number; or 0, the other owner's lease and the milliseconds
  /// left; or 2 and the format of the store, if it is another.
  static let acquireBody = #"""
    local key, meta = KEYS[1] .. ':lease', KEYS[1] .. ':meta'
    local format = redis.call('HGET', meta, 'format')
    if format and format ~= ARGV[3] then return {2, format, 0} end
    local held = redis.call('GET', key)
    local shares = ARGV[4] == '1'
    if held and shares and string.match(held, '^%d+ shared$') then
      redis.call('SET', key, held, 'PX', ARGV[2])
      return {1, held, 0}
    end
    if held then return {0, held, redis.call('PTTL', key)} end
    redis.call('HSET', meta, 'format', ARGV[3])
    local lease = redis.call('HINCRBY', meta, 'boot', 1) .. ' ' .. (shares and 'shared' or ARGV[1])
    redis.call('SET', key, lease, 'PX', ARGV[2])
    return {1, lease, 0}
    """#

  /// Renews the lease `ARGV[1]` for `ARGV[2]` milliseconds. A lease that has ended, and that no other process has taken
  /// since, is valid again. Returns 1; or 0 if another process has or had it, or the store is empty.
  static let renewBody = #"""
    local key = KEYS[1] .. ':lease'
    local held = redis.call('GET', key)
    if held and held ~= ARGV[1] then return 0 end
    local boot = redis.call('HGET', KEYS[1] .. ':meta', 'boot')
    if not boot or boot .. ' ' ~= string.sub(ARGV[1], 1, #boot + 1) then return 0 end
    redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
    return 1
    """#

  /// Gives the lease `ARGV[1]` back.
  static let releaseBody = #"""
    if redis.call('GET', KEYS[1] .. ':lease') == ARGV[1] then return redis.call('DEL', KEYS[1] .. ':lease') end
    return 0
    """#
}
