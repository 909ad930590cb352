# Accounting: a private MariaDB reached by a socket, and the cluster's accounts.

start_database() {
    mkdir -p "$LAB/mysql" && chown mysql "$LAB/mysql" || return 1
    mariadb-install-db --no-defaults --datadir="$LAB/mysql" --user=mysql --skip-test-db \
        --auth-root-authentication-method=socket --innodb-log-file-size=16M --tmpdir="$LAB/sql" >"$LAB/log/mysql-install.log" 2>&1 || return 1
    launch mariadbd mariadbd --defaults-file="$LAB/etc/my.cnf"
    wait_for mariadbd timeout 3 mariadb-admin --defaults-file="$LAB/etc/my.cnf" -u root ping || return 1
    mariadb --defaults-file="$LAB/etc/my.cnf" -u root -e "create database slurm_acct_db;
        create user slurm@localhost identified by 'slurm'; grant all on slurm_acct_db.* to slurm@localhost;"
}

sacctmgr_do() { sacctmgr -i "$@" >>"$LAB/log/sacctmgr.log" 2>&1 || { tail -n 5 "$LAB/log/sacctmgr.log" >&2; return 1; }; }

add_cluster() { sacctmgr_do add cluster teachlab; }

add_accounts() { # once slurmctld is up: it makes the resource gres/gpu known
    sacctmgr_do <<EOF || return 1
add qos debug MaxWall=00:10:00 MaxTRESPerUser=cpu=8,gres/gpu=1 MaxJobsPerUser=2 MaxSubmitJobsPerUser=4 Flags=DenyOnLimit Priority=50
add qos scavenge Priority=0
add qos high Priority=100 Preempt=scavenge
modify qos normal set Priority=10
EOF
    # in one go: three times as fast as a command for each
    cat >"$LAB/etc/accounts.cfg" <<EOF
Cluster - 'teachlab':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1:QOS='normal,debug,scavenge,high'
Account - 'csc101':Description='class':Organization='teaching':Fairshare=1
Account - 'research':Description='research':Organization='lab':Fairshare=1
Parent - 'csc101'
User - 'alice':DefaultAccount='csc101':Fairshare=1:QOS='normal,debug,scavenge':DefaultQOS='normal'
User - 'bob':DefaultAccount='csc101':Fairshare=1:MaxJobs=2:MaxSubmitJobs=4:QOS='normal,debug,scavenge':DefaultQOS='normal'
Parent - 'research'
User - 'carol':DefaultAccount='research':Fairshare=1:QOS='normal,debug,scavenge,high':DefaultQOS='normal'
EOF
    sacctmgr_do load file="$LAB/etc/accounts.cfg" || return 1
    wait_for "accounts in slurmctld" accounts_known
}

# slurmdbd tells slurmctld of new accounts by a connection back to it.
accounts_known() { timeout 3 scontrol show assoc_mgr users=carol flags=assoc | grep 'UserName=carol(' >/dev/null; }
